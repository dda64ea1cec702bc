// SPDX-License-Identifier: Apache-2.0
// Pages in a real browser: what a reader does with keys and clicks, and what is to be seen then.
// Usage: node pages.mjs PROGRAM REPOSITORY SCRATCH    (playwright-core is found from SCRATCH)
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {createRequire} from 'node:module';
import path from 'node:path';
import fs from 'node:fs';

const [program, repository, scratch] = process.argv.slice(2).map(name => path.resolve(name));
const {chromium} = createRequire(path.join(scratch, 'package.json'))('playwright-core');
const example = name => path.join(repository, 'examples', name);
const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});

// A page that complains, or asks the network for anything, has failed.
async function open(address, options = {}) {
  const context = await browser.newContext(options), page = await context.newPage();
  page.on('pageerror', error => { throw error; });
  page.on('request', request => assert.match(request.url(), /^(file:|http:\/\/127\.0\.0\.1)/));
  await page.goto(address);
  return page;
}

async function answer(model, ...options) {
  const file = path.join(scratch, path.basename(model) + '.html');
  const {status} = spawnSync(program, ['check', model, '--html', file, '-q', ...options]);
  assert.ok(status === 0 || status === 1, `${model}: ${status}`);
  return 'file://' + file;
}

const at = page => page.locator('.steps tr[aria-current]').first().innerText();
const changed = page => page.locator('.values .changed').count();

const tests = {
  async 'a net: keys and clicks move the tokens'() {
    const page = await open(await answer(example('philosophers.pnml')));
    assert.match(await page.locator('h2').first().innerText(), /VIOLATED/);
    assert.equal(await page.locator('.token').count(), 12);
    await page.locator('.walk').first().focus();
    await page.keyboard.press('ArrowRight');
    assert.match(await at(page), /take_left_1/);
    assert.equal(await changed(page), 3);
    assert.equal(await page.locator('.fired').count(), 1);
    assert.equal(await page.locator('.token').count(), 11);
    await page.keyboard.press('End');
    assert.match(await at(page), /take_left_6/);
    await page.keyboard.press('ArrowRight');
    assert.match(await at(page), /take_left_6/);
    await page.keyboard.press('Home');
    assert.match(await at(page), /the start/);
    await page.locator('.steps tr').nth(3).click();
    assert.match(await at(page), /take_left_3/);
    await page.getByRole('button', {name: 'one step back'}).click();
    assert.match(await at(page), /take_left_2/);
  },
  async 'a net of coloured tokens: they move as others do'() {
    const page = await open(await answer(example('lna/philosophers.lna')));
    assert.equal(await page.locator('.token').count(), 10);
    await page.getByRole('button', {name: 'one step on'}).click();
    assert.equal(await page.locator('.token').count(), 9);
  },
  async 'what happens is scrolled to, on a narrow screen, too'() {
    const page = await open(await answer(example('protocols/paxos-no-promise.mp')) + '#9', {viewport: {width: 400, height: 800}});
    await page.waitForTimeout(100);
    const [row, table] = [await page.locator('.steps tr[aria-current]').boundingBox(), await page.locator('.trace').boundingBox()];
    assert.ok(row.y >= table.y && row.y + row.height <= table.y + table.height, JSON.stringify([row, table]));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  },
  async 'threads: a column each, and the line of the model'() {
    const page = await open(await answer(example('threads/double-checked-wrong.dl')) + '#5');
    assert.deepEqual(await page.locator('.steps thead th').allInnerTexts(), ['', 'user[0]', 'user[1]']);
    assert.match(await page.locator('.source .now').innerText(), /if \(!ready\)/);
  },
  async 'a lasso goes round'() {
    const page = await open(await answer(example('promela/peterson.pml')));
    const {cycle_start, steps} = await page.evaluate(() => data.properties.find(property => property.trace).trace);
    await page.locator('.walk').first().focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    assert.match(await page.locator('[role=status]').first().innerText(), new RegExp(`^${cycle_start + 1} of ${steps.length}`));
  },
  async 'graphs: another picture for each state'() {
    const page = await open(await answer(example('graphs/philosophers.gg'), '--start', 'two'));
    const first = await page.locator('.walk svg').first().innerHTML();
    await page.getByRole('button', {name: 'one step on'}).click();
    assert.notEqual(await page.locator('.walk svg').first().innerHTML(), first);
  },
  async 'dark and light'() {
    const address = await answer(example('philosophers.pnml'));
    const colour = async scheme => (await open(address, {colorScheme: scheme})).evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.notEqual(await colour('dark'), await colour('light'));
  },
  async 'without scripts there is the answer as text'() {
    const page = await open(await answer(example('philosophers.pnml')), {javaScriptEnabled: false});
    assert.match(await page.locator('pre').innerText(), /no deadlock: VIOLATED/);
  },
  async 'a thousand steps'() {
    const model = path.join(scratch, 'long.dl');
    fs.writeFileSync(model, 'int x;\nthread t { while (x < 500) { x = x + 1; } assert(false); }\n');
    const address = await answer(model), begin = performance.now();
    const page = await open(address);
    console.log(`  shown after ${Math.round(performance.now() - begin)} ms`);
    await page.locator('.walk').first().focus();
    await page.keyboard.press('End');
    assert.match(await page.locator('[role=status]').first().innerText(), /^(\d{4}) of \1$/);
    assert.match(await at(page), /read x = 500/);
  },
  async 'a walk with the server: clicks, keys, back, and the graph grows'() {
    const server = spawn(program, ['serve', example('philosophers.pnml'), '--reduction', 'stubborn']);
    const address = await new Promise(found => server.stdout.on('data', text => found(String(text).match(/http:\/\/127[^\s]*/)[0])));
    try {
      const page = await open(address);
      await page.locator('.actions button').nth(0).click();
      await page.locator('.trail li').first().waitFor();
      await page.keyboard.press('1');
      await page.locator('.trail li').nth(1).waitFor();
      assert.equal(await page.locator('.drawing circle[data-state]').count(), 3);
      await page.getByRole('button', {name: 'back', exact: true}).click();
      await page.locator('.trail li').nth(1).waitFor({state: 'detached'});
      assert.equal(await page.locator('.drawing circle[data-state]').count(), 3);
    } finally {
      server.kill();
    }
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests))
  try {
    await test();
    console.log('ok     ' + name);
  } catch (error) {
    failed++;
    console.log('FAILED ' + name + '\n' + error.stack);
  }
await browser.close();
process.exit(failed ? 1 : 0);
