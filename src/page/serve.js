/* A walk through a model: the server tells what can happen, and what a reduction would do. */
let path = [], seen = new Map(), edges = new Map(), steps = [];
const net = data.net ? netView(data.net) : null;
const source = data.source ? sourceView(data.source) : null;
const actions = element('ol', {class: 'actions'}), values = element('tbody'), told = element('div', {role: 'status'}), why = element('ul', {class: 'because'});
const graph = element('div', {class: 'drawing scrolls', hidden: ''}), waiting = element('div', {class: 'waiting'});
const trail = element('ol', {class: 'trail'}), map = element('div', {class: 'drawing scrolls'});
const back = element('button', {type: 'button', onclick: () => go(path.slice(0, -1))}, 'back'), start = element('button', {type: 'button', onclick: () => go([])}, 'to the start');
let before = {};

function showActions(answer) {
  const explored = answer.explored ? new Set(answer.explored) : null;
  actions.replaceChildren(...answer.enabled.map((entry, i) => {
    const left = explored && !explored.has(entry.action);
    return element('li', {}, element('button', {type: 'button', class: left ? 'left' : false, onclick: () => go([...path, i])}, entry.action + (entry.text ? '  ' + entry.text : '')),
      left ? element('div', {class: 'because'}, 'left out: ' + (answer.left_out_because[entry.action] || '')) : '');
  }));
  why.replaceChildren(...(answer.because || []).map(text => element('li', {}, text)));
  const said = [];
  if (answer.end) said.push(answer.end);
  for (const property of answer.properties) said.push(property + (property.startsWith('reach ') ? ': reached here' : ': violated here'));
  if (answer.why_not) said.push('no reduction: ' + answer.why_not);
  else if (answer.reduction && answer.reduction !== 'none' && answer.enabled.length) said.push(answer.reduction + ' explores ' + answer.explored.length + ' of ' + answer.enabled.length + ' enabled actions here'
    + (answer.left_out.length ? '; what is left out can wait: nothing outside the set can interfere with a member first' : ''));
  told.replaceChildren(...said.map(text => element('p', {}, text)));
}

function showValues(answer) {
  const names = Object.keys(answer.values);
  values.replaceChildren(...names.filter(name => names.length <= 60 || answer.values[name] !== '0').map(name => element('tr', {class: path.length && before[name] !== answer.values[name] ? 'changed' : false},
    element('td', {}, name), element('td', {}, answer.values[name]))));
  before = answer.values;
  const messages = answer.waiting || [];
  waiting.replaceChildren(...(messages.length ? [element('h3', {}, 'Messages on their way'), ...messages.map(text => element('div', {}, text))] : []));
  graph.hidden = !answer.graph;
  if (answer.graph) graph.innerHTML = answer.graph;
}

/* The states seen so far, by how far they were from the start when first met. */
function showMap(current) {
  const rows = [], space = 70, high = 34;
  for (const node of seen.values()) (rows[node.depth] = rows[node.depth] || []).push(node);
  rows.forEach(row => row.forEach((node, i) => { node.x = 30 + i * space; node.y = 24 + node.depth * high; }));
  const width = 60 + space * Math.max(...rows.map(row => row.length)), height = 30 + high * rows.length;
  let text = '<svg xmlns="http://www.w3.org/2000/svg" width="' + width + '" height="' + height + '" viewBox="0 0 ' + width + ' ' + height + '">';
  for (const {from, to} of edges.values()) text += '<line x1="' + from.x + '" y1="' + from.y + '" x2="' + to.x + '" y2="' + to.y + '" stroke="#78909c"/>';
  for (const [name, node] of seen) text += '<circle data-state="' + name + '" cx="' + node.x + '" cy="' + node.y + '" r="10" stroke="#37474f" fill="'
    + (name === current ? '#ffd54f' : node.wrong ? '#ef9a9a' : '#fff') + '"/><text x="' + node.x + '" y="' + (node.y + 4) + '" font-size="10" text-anchor="middle" pointer-events="none">' + node.number + '</text>';
  map.innerHTML = text + '</svg>';
  map.querySelectorAll('circle').forEach(circle => circle.addEventListener('click', () => go(seen.get(circle.dataset.state).path)));
}

function note(answer, previous) {
  if (!seen.has(answer.state)) seen.set(answer.state, {path: [...path], depth: path.length, number: seen.size, wrong: answer.properties.length > 0});
  const node = seen.get(answer.state);
  if (previous && seen.has(previous)) edges.set(previous + ' ' + answer.state, {from: seen.get(previous), to: node});
}

let state = null;
async function go(wanted) {
  const reply = await fetch('/state?path=' + wanted.join(','));
  const answer = await reply.json();
  if (answer.error) { told.replaceChildren(element('p', {class: 'violated'}, answer.error)); return; }
  const further = wanted.length === path.length + 1;
  path = wanted;
  note(answer, further ? state : null);
  state = answer.state;
  back.disabled = start.disabled = !path.length;
  trail.replaceChildren(...answer.steps.map((name, i) => element('li', {}, element('button', {type: 'button', onclick: () => go(path.slice(0, i + 1))}, name))));
  showActions(answer);
  showValues(answer);
  showMap(state);
  const last = answer.steps.length ? {action: answer.steps[answer.steps.length - 1]} : null;
  if (net) net.show(answer.values, last);
  if (source) source.show(last ? lineOf(last) : 0);
}

page.append(element('h1', {}, data.title), element('div', {class: 'walk'},
  element('div', {class: 'controls'}, start, back),
  element('div', {}, element('section', {}, element('h2', {}, 'What can happen'), actions, told, why),
    element('section', {}, element('h2', {}, 'Steps so far'), trail)),
  ...(net ? [net.view] : []), graph, ...(source ? [source.view] : []),
  element('div', {class: 'state'}, element('section', {}, element('h2', {}, 'States seen'), map),
    element('section', {}, element('h2', {}, 'Values'), element('div', {class: 'scrolls'}, element('table', {class: 'values'}, values), waiting)))));
if (data.no_picture) page.append(element('p', {}, 'There is no picture: ' + data.no_picture + '.'));
document.addEventListener('keydown', event => {
  if (event.key === 'Backspace' && path.length) { event.preventDefault(); go(path.slice(0, -1)); }
  if (/^[1-9]$/.test(event.key) && actions.children[event.key - 1]) go([...path, Number(event.key) - 1]);
});
go([]);
