'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');

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

/* Tokens as dots, up to four, or a number, in the middle of each place; the transition that has fired is marked. */
function netView(net) {
  const view = drawing(net.picture), space = 'http://www.w3.org/2000/svg';
  view.classList.add('scrolls');
  const places = net.places.map((_, i) => view.querySelector('#p' + i + ' ellipse'));
  return {view, show(state, step) {
    view.querySelectorAll('.token').forEach(token => token.remove());
    view.querySelectorAll('.fired').forEach(node => node.classList.remove('fired'));
    const fired = step && view.querySelector('#t' + net.transitions.indexOf(step.action));
    if (fired) {
      fired.classList.add('fired');
      const where = fired.getBoundingClientRect(), seen = view.getBoundingClientRect();
      view.scrollTop += where.top - seen.top - seen.height / 2;
      view.scrollLeft += where.left - seen.left - seen.width / 2;
    }
    net.places.forEach((name, i) => {
      const tokens = Number(state[name]), circle = places[i];
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

