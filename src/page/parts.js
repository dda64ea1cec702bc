'use strict';
const data = JSON.parse(dataText(document.getElementById('data')));
const page = document.getElementById('page');

/* Long data are packed, by pack.c: in bytes, "~" and five digits are a copy of what was there before. */
function dataText(script) {
  if (!script.dataset.size) return script.textContent;
  const packed = new TextEncoder().encode(script.textContent), bytes = new Uint8Array(Number(script.dataset.size)), tilde = 126;
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-', value = new Uint8Array(128);
  for (let i = 0; i < 64; i++) value[digits.charCodeAt(i)] = i;
  let made = 0;
  for (let i = 0; i < packed.length; i++) {
    if (packed[i] !== tilde) bytes[made++] = packed[i];
    else if (packed[i + 1] === tilde) bytes[made++] = packed[++i];
    else {
      let from = made - (value[packed[i + 1]] * 64 + value[packed[i + 2]]) * 64 - value[packed[i + 3]];
      for (let rest = value[packed[i + 4]] * 64 + value[packed[i + 5]] + 8; rest > 0; rest--) bytes[made++] = bytes[from++];
      i += 5;
    }
  }
  return new TextDecoder().decode(bytes);
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const drawing = text => { const made = element('div', {class: 'drawing'}); made.innerHTML = text; return made; };

/* Who acts, where the trace does not say: the first word before a line number. */
function agentOf(step) {
  if (step.agent !== undefined) return step.agent;
  const found = step.action.match(/^(\S+?) \d+: /) || step.action.match(/^([^\s.]+)\.\w+->/);
  return found ? found[1] : null;
}

function lineOf(step) {
  if (step.line) return step.line;
  const found = step.action.match(/^\S+?:(\d+)\b/) || step.action.match(/^\S+ (\d+): /);
  return found ? Number(found[1]) : 0;
}

function wordsOf(step) {
  const words = step.text || step.action.replace(/^\S+ (?=\d+: )/, '') + (step.description ? '  "' + step.description + '"' : '');
  return words.replaceAll('->', '\u2192'); /* which no line ends within */
}

/* The sources of a program: the one that a step is in. */
function sourcesView(sources) {
  const names = Object.keys(sources), views = Object.fromEntries(names.map(name => [name, sourceView(sources[name])]));
  const title = element('div', {class: 'title'}), view = element('div', {}, title);
  return {view, show(step) {
    const file = step && views[step.file] ? step.file : step ? null : names[0];
    if (!file) return;
    title.textContent = file;
    if (view.lastChild !== views[file].view) view.replaceChildren(title, views[file].view);
    views[file].show(step ? step.line : 0);
  }};
}

function sourceView(text) {
  const lines = text.split('\n').map((line, i) => element('span', {class: 'line'}, element('span', {class: 'number'}, i + 1), line));
  const view = element('div', {class: 'source scrolls', tabindex: 0, role: 'region', 'aria-label': 'source'}, ...lines);
  return {view, show(number) {
    lines.forEach((line, i) => line.classList.toggle('now', i + 1 === number));
    if (number && lines[number - 1]) view.scrollTop = lines[number - 1].offsetTop - view.offsetTop - view.clientHeight / 3;
  }};
}

/* Scrolls a part of the page until something in it is in the middle, as far as it goes. */
function centre(view, shown, sideways) {
  const where = shown.getBoundingClientRect(), seen = view.getBoundingClientRect();
  view.scrollTop += where.top + where.height / 2 - seen.top - seen.height / 2;
  if (sideways) view.scrollLeft += where.left + where.width / 2 - seen.left - seen.width / 2;
}

/* "fork<(1)>" in the picture is one colour of the place fork, which has "<(0)> + 2*<(1)>". */
function tokensOf(state, name) {
  if (name in state) return Number(state[name]);
  const at = Math.max(0, name.indexOf('<(')), terms = (state[name.slice(0, at)] || '').split(' + ');
  const term = terms.find(text => text.replace(/^\d+\*/, '') === name.slice(at));
  return term ? Number.parseInt(term) || 1 : 0;
}

/* Tokens as dots, up to four, or a number, in the middle of each place; the transition that has fired is marked. */
function netView(net) {
  const view = drawing(net.picture), space = 'http://www.w3.org/2000/svg';
  const svg = view.querySelector('svg');
  view.classList.add('scrolls', 'net');
  const places = net.places.map((_, i) => view.querySelector('#p' + i + ' ellipse'));
  return {view, show(state, step) {
    /* a large net is scrolled, not shrunk until nobody can read it */
    view.classList.toggle('chart', view.clientWidth > 0 && svg.width.baseVal.value > 2 * view.clientWidth);
    view.querySelectorAll('.token').forEach(token => token.remove());
    view.querySelectorAll('.fired').forEach(node => node.classList.remove('fired'));
    const fired = step && view.querySelector('#t' + net.transitions.indexOf(step.action));
    if (fired) {
      fired.classList.add('fired');
      centre(view, fired, true);
    }
    net.places.forEach((name, i) => {
      const tokens = tokensOf(state, name), circle = places[i];
      if (!tokens || !circle) return;
      const x = Number(circle.getAttribute('cx')), y = Number(circle.getAttribute('cy'));
      const spots = {1: [[0, 0]], 2: [[-4, 0], [4, 0]], 3: [[-4, 3], [4, 3], [0, -4]], 4: [[-4, -4], [4, -4], [-4, 4], [4, 4]]}[tokens];
      for (const [dx, dy] of spots || [[0, 4]]) {
        const token = document.createElementNS(space, spots ? 'circle' : 'text');
        token.setAttribute('class', 'token');
        if (spots) { token.setAttribute('cx', x + dx); token.setAttribute('cy', y + dy); token.setAttribute('r', 3); }
        else { token.setAttribute('x', x); token.setAttribute('y', y + dy); token.setAttribute('text-anchor', 'middle'); token.setAttribute('font-size', 11); token.textContent = tokens; }
        circle.parentNode.append(token);
      }
    });
  }};
}

function graphOf(graph) {
  return drawing('<svg xmlns="http://www.w3.org/2000/svg" width="' + graph.width + '" height="' + graph.height + '" viewBox="' + graph.box + '">' + graph.body + '</svg>');
}

