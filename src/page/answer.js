/* Lines "label      text" as they are printed: ten columns for the label. */
function facts(text) {
  const table = element('table');
  for (const line of text.split('\n').filter(Boolean)) {
    table.append(element('tr', {}, element('th', {scope: 'row'}, line.slice(0, 10).trim()), element('td', {}, line.slice(11))));
  }
  return table;
}

/* ------------------------------------------------------------------ a trace, step by step */

/* The values after each number of steps. */
function statesOf(trace) {
  const states = [trace.start];
  for (const step of trace.steps) states.push({...states[states.length - 1], ...step.changes});
  return states;
}

function stepTable(trace, go) {
  /* by kind, in the order in which they act first, then by number */
  const met = [...new Set(trace.steps.map(agentOf))], kinds = met.map(name => String(name).replace(/\d+/g, ''));
  const kind = name => kinds.indexOf(String(name).replace(/\d+/g, ''));
  const agents = met.sort((a, b) => kind(a) - kind(b) || String(a).localeCompare(b, 'en', {numeric: true}));
  const fits = agents.length <= (matchMedia('(max-width: 40rem)').matches ? 2 : 8);
  const columns = agents.length > 1 && fits && !agents.includes(null) ? agents : [null];
  const body = element('tbody');
  const rows = [element('tr', {onclick: () => go(0)}, element('td', {class: 'number'}, '0'), element('td', {colspan: columns.length}, 'the start'))];
  trace.steps.forEach((step, i) => {
    const row = element('tr', {class: step.races ? 'races' : false, onclick: () => go(i + 1)}, element('td', {class: 'number'}, i + 1));
    for (const column of columns) {
      const cell = element('td', {});
      if (column === null || column === agentOf(step)) {
        cell.append((column === null && step.agent ? step.agent + ' ' : '') + wordsOf(step));
        for (const message of step.messages || []) cell.append(element('br'), message);
      }
      row.append(cell);
    }
    rows.push(row);
  });
  rows.forEach((row, i) => {
    if (trace.cycle_start !== null && i === trace.cycle_start + 1)
      body.append(element('tr', {class: 'loop'}, element('td'), element('td', {colspan: columns.length}, 'repeated forever:')));
    body.append(row);
  });
  if (trace.cycle_start !== null && trace.cycle_start === trace.steps.length)
    body.append(element('tr', {class: 'loop'}, element('td'), element('td', {colspan: columns.length}, 'then the last state, forever')));
  const head = columns[0] === null ? '' : element('thead', {}, element('tr', {}, element('th', {}, ''), ...columns.map(name => element('th', {scope: 'col'}, name))));
  return {table: element('table', {class: 'steps'}, head, body), rows};
}

/* Large models: what never changes and is zero, or as at first, need not be looked at. */
function shownNames(trace) {
  const changed = new Set(trace.steps.flatMap(step => Object.keys(step.changes)));
  const names = Object.keys(trace.start);
  return names.length <= 60 ? names : names.filter(name => changed.has(name) || (names.length <= 400 && trace.start[name] !== '0'));
}

function valueTable(trace, states) {
  const names = shownNames(trace), body = element('tbody'), left = Object.keys(trace.start).length - names.length;
  const table = element('table', {class: 'values'}, body);
  return {names, left, table, show(at) {
    body.replaceChildren(...names.map(name => {
      const value = states[at][name], before = at ? states[at - 1][name] : value;
      return element('tr', {class: value !== before ? 'changed' : false}, element('td', {}, name), element('td', {}, value),
        value !== before ? element('td', {class: 'was'}, before) : '');
    }), ...(left ? [element('tr', {}, element('td', {colspan: 2}, left + ' more that do not change'))] : []));
  }};
}

function stepper(trace) {
  const states = statesOf(trace), last = trace.steps.length;
  let at = 0;
  const {table, rows} = stepTable(trace, number => show(number));
  const values = valueTable(trace, states);
  const sources = data.sources && Object.keys(data.sources).length ? sourcesView(data.sources) : null;
  const source = data.source && trace.steps.some(lineOf) && !/^\s*#\s*include/m.test(data.source) ? sourceView(data.source) : null;
  const net = data.net ? netView(data.net) : null;
  const slider = element('input', {type: 'range', min: 0, max: last, value: 0, 'aria-label': 'step', oninput: () => show(Number(slider.value))});
  const said = element('span', {role: 'status'});
  const buttons = [['|<', 'to the start', () => show(0)], ['<', 'one step back', () => show(at - 1)],
    ['>', 'one step on', () => show(at + 1)], ['>|', 'to the end', () => show(last)]].map(
    ([label, title, act]) => element('button', {type: 'button', title, 'aria-label': title, onclick: act}, label));
  const graph = element('div'), waiting = element('div', {class: 'waiting'});
  const scrolls = element('div', {class: 'scrolls trace' + (table.rows[0].cells.length > 4 ? ' wide' : ''), tabindex: 0, role: 'region', 'aria-label': 'steps'}, table);
  let chart = null;
  const chartOf = element('details', {ontoggle: () => drawChart()}, element('summary', {}, 'Message chart'));
  const whole = element('div', {class: 'walk', tabindex: 0, onkeydown: press},
    element('div', {class: 'controls'}, ...buttons, slider, said), scrolls,
    ...(trace.graphs ? [graph] : []), ...(net ? [net.view] : []), ...(source ? [source.view] : []), ...(sources ? [sources.view] : []),
    ...(values.names.length ? [element('div', {class: 'scrolls state', tabindex: 0, role: 'region', 'aria-label': 'values'}, values.table, waiting)] : []));

  function show(number) {
    const wraps = trace.cycle_start !== null && trace.cycle_start < last;
    if (number > last) number = wraps ? trace.cycle_start + 1 : last;
    at = Math.max(0, number);
    slider.value = at;
    rows.forEach((row, i) => i === at ? row.setAttribute('aria-current', 'step') : row.removeAttribute('aria-current'));
    const cell = [...rows[at].cells].slice(1).find(made => made.textContent);
    scrolls.scrollLeft = Math.max(0, cell.offsetLeft + cell.offsetWidth - scrolls.clientWidth);
    centre(scrolls, rows[at], false);
    buttons[0].disabled = buttons[1].disabled = at === 0;
    buttons[2].disabled = at === last && !wraps;
    buttons[3].disabled = at === last;
    const step = at ? trace.steps[at - 1] : null;
    said.textContent = at + ' of ' + last + (step ? '' : ', the start');
    values.show(at);
    const messages = (step || trace).waiting || [];
    waiting.replaceChildren(...(messages.length ? [element('h3', {}, 'Messages on their way'), ...messages.map(text => element('div', {}, text))] : []));
    if (source) source.show(step ? lineOf(step) : 0);
    if (chart) markChart();
    if (sources) sources.show(step);
    if (net) net.show(states[at], step);
    if (trace.graphs) graph.replaceChildren(graphOf(trace.graphs[at]));
  }

  /* drawn when it is looked at: that of a long trace takes longer than all else */
  function drawChart() {
    if (chart) return;
    chart = drawing(trace.chart);
    chart.classList.add('chart');
    chart.querySelectorAll('[data-step]').forEach(box => box.addEventListener('click', () => show(Number(box.dataset.step))));
    chartOf.append(chart);
    markChart();
  }

  function markChart() {
    chart.querySelectorAll('[data-step]').forEach(box => box.classList.toggle('now', Number(box.dataset.step) === at));
  }

  function press(event) {
    const where = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last}[event.key];
    if (where === undefined || event.target === slider || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(where);
  }
  /* "page.html#3" begins there. */
  show(Math.min(last, Number(location.hash.slice(1)) || 0));
  requestAnimationFrame(() => show(at)); /* what scrolls has a place now */
  if (trace.chart && last <= 200) { drawChart(); chartOf.open = true; }
  return trace.chart ? [whole, chartOf] : [whole];
}

/* ------------------------------------------------------------------ the page */

function propertySection(property) {
  const section = element('section', {}, element('h2', {}, property.property + ': ', element('span', {class: property.verdict}, property.answer)));
  if (property.note) section.append(element('p', {}, property.note));
  if (property.trace) {
    section.append(...stepper(property.trace));
    if (property.trace.message) section.append(element('p', {class: 'message'}, property.trace.message));
    if (property.trace.output) section.append(element('h3', {}, 'Output of this execution'), element('pre', {}, property.trace.output));
  }
  return section;
}

/* A graph fits the page, or has its own size and is scrolled: at first where it would be shrunk to less than half. */
function spaceOf(picture) {
  const made = drawing(picture), svg = made.querySelector('svg'), whole = element('div', {}, made);
  const button = element('button', {type: 'button', class: 'larger', onclick: () => choose(!made.classList.contains('chart'))});
  function choose(large) {
    made.classList.toggle('chart', large);
    button.textContent = large ? 'fit the page' : 'actual size';
    const first = svg.querySelector('.node, .cluster'), where = first.getBoundingClientRect(), seen = made.getBoundingClientRect();
    made.scrollLeft += where.left + where.width / 2 - seen.left - seen.width / 2;
  }
  made.classList.add('scrolls');
  made.tabIndex = 0;
  made.setAttribute('role', 'region');
  made.setAttribute('aria-label', 'state space');
  requestAnimationFrame(() => {
    const width = svg.width.baseVal.value;
    if (width > made.clientWidth) whole.prepend(button);
    choose(width > 2 * made.clientWidth);
  });
  return whole;
}

/* Fewer states, or executions, are better among those that came to an end with the right answer. */
function rowsTable(rows, most, best, scale) {
  const body = element('tbody');
  for (const row of rows) {
    const full = most[row.unit], part = row.count ? scale(row.count) / scale(full) : 0;
    const factor = row.stop || row.differs ? '' : (full / row.count).toFixed(full / row.count < 10 ? 1 : 0) + ' x';
    body.append(element('tr', {class: best.has(row) ? 'best' : false}, element('td', {}, row.name), element('td', {}, row.verdict),
      element('td', {class: 'count'}, row.count.toLocaleString('en')), element('td', {}, row.unit), element('td', {}, element('span', {class: 'bar', style: 'width:calc(' + part + ' * min(300px, 20vw))'})),
      element('td', {class: 'count'}, factor), element('td', {class: 'count'}, row.seconds.toFixed(2) + ' s'),
      element('td', {}, row.differs ? 'differs: an error' : row.stop || (best.has(row) ? 'best' : ''))));
  }
  const heads = ['reduction, proviso, search', 'verdict', 'explored', '', '', 'smaller', 'time', ''];
  return element('div', {class: 'scrolls all'}, element('table', {}, element('thead', {}, element('tr', {}, ...heads.map(word => element('th', {scope: 'col'}, word)))), body));
}

function comparison(rows) {
  const most = {}, groups = new Map(), best = new Set();
  for (const row of rows) most[row.unit] = Math.max(most[row.unit] || 0, row.count);
  for (const unit of Object.keys(most)) {
    const fewest = Math.min(...rows.filter(row => row.unit === unit && !row.stop && !row.differs).map(row => row.count));
    rows.filter(row => row.unit === unit && !row.stop && !row.differs && row.count === fewest).forEach(row => best.add(row));
  }
  for (const row of rows) {
    const key = [row.unit, row.count, row.verdict, row.stop, row.differs].join();
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  const shown = [...groups.values()].map(group => ({...group[0], name: group[0].name + (group.length > 1 ? ' and ' + (group.length - 1) + ' more' : ''), first: group[0]}));
  /* the full exploration, then the fewest first, as in the terminal */
  shown.sort((a, b) => b.unit.localeCompare(a.unit) || (b.first === rows[0]) - (a.first === rows[0]) || a.count - b.count);
  shown.forEach(row => { if (best.has(row.first)) best.add(row); });
  const far = rows.some(row => row.count && most[row.unit] > 50 * row.count), scale = far ? Math.log1p : Number;
  return element('section', {}, element('h2', {}, 'Comparison'), element('p', {}, 'One line for each different result' + (far ? '; bars are on a logarithmic scale.' : '.')),
    rowsTable(shown, most, best, scale), element('details', {}, element('summary', {}, 'All ' + rows.length + ' combinations'), rowsTable(rows, most, best, scale)));
}

page.append(element('h1', {}, data.title));
for (const property of data.properties || []) page.append(propertySection(property));
if (data.no_picture) page.append(element('p', {}, 'There is no picture: ' + data.no_picture + '.'));
if (data.rows) page.append(comparison(data.rows));
if (data.coverage) page.append(element('section', {}, element('h2', {}, 'What was covered'), facts(data.coverage)));
if (data.graph) page.append(element('section', {}, element('h2', {}, 'The state space'), spaceOf(data.graph)));
document.getElementById('text').open = false;
