// Draws a state (see lists.js): the documents, the table of measures, and the chosen measure.
//
// Nothing here changes a state or listens; try-it.js finds the elements by their classes.

const Drawing = (() => {
  'use strict';

  const { MEASURES, byName } = RankingMeasures;
  const { writtenLabel } = RankedLists;
  const LABELS_IN_WORDS = new Map([
    [null, 'unjudged'],
    [0, '0, not relevant'],
    [1, '1'],
    [2, '2'],
    [3, '3'],
  ]);
  const GLIDE = { duration: 160, easing: 'ease-out' };
  const SMALLEST_CHANGE = 5e-5; // smaller ones would be shown as 0.0000

  const FRAME = `
    <div class="bar">
      <label><span>Example</span><select class="example">
        <option value="">your own list</option>
      </select></label>
      <label><span>Cutoff k</span>
        <input class="cutoff" type="number" min="1" step="1" placeholder="none">
      </label>
      <label><span>Relevant from</span><select class="rel">
        <option value="1">label 1</option><option value="2">label 2</option><option value="3">label 3</option>
      </select></label>
      <label><span>Gain</span><select class="gain">
        <option value="linear">label</option><option value="exp2">2^label − 1</option>
      </select></label>
      <div class="actions">
        <button type="button" class="undo">Undo</button>
        <button type="button" class="copy">Copy link</button>
      </div>
    </div>
    <p class="fault" role="alert"></p>
    <p class="status" role="status"></p>
    <div class="panels">
      <section class="lists" aria-labelledby="try-it-ranking">
        <h2 id="try-it-ranking">Ranking</h2>
        <ol class="documents" data-list="ranking" aria-label="Documents in rank order"></ol>
        <button type="button" class="add" data-to="ranking">Add a document</button>
        <h2>Not retrieved</h2>
        <ol class="documents" data-list="missed" aria-label="Documents that were not retrieved"></ol>
        <button type="button" class="add" data-to="missed">Add a missed document</button>
        <p class="note" id="try-it-keys">
          Drag a document, or focus its name and press <kbd>↑</kbd> or <kbd>↓</kbd>;
          <kbd>0</kbd> to <kbd>3</kbd> and <kbd>?</kbd> set its label, <kbd>Del</kbd> removes it.
          ? marks an unjudged document.
        </p>
      </section>
      <section class="measures" aria-labelledby="try-it-measures">
        <h2 id="try-it-measures">Measures</h2>
        <table>
          <thead><tr>
            <th scope="col">Measure</th>
            <th scope="col" class="number">Value</th>
            <th scope="col" class="number">Change</th>
          </tr></thead>
          <tbody></tbody>
        </table>
        <div class="move"></div>
      </section>
    </div>
    <section class="chosen" aria-labelledby="try-it-chosen"></section>`;

  // Parts

  // Makes an element: element('p', {class: 'note'}, 'some ', element('b', {}, 'text')).
  // Attributes that are null are left out.
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  const fixed = (number) => number.toFixed(4);

  // At most four decimals.
  const decimal = (number) => String(Number(fixed(number)));

  // A change with its sign; empty if there is none.
  function signed(change) {
    if (Math.abs(change) < SMALLEST_CHANGE) return '';
    return `${change > 0 ? '+' : '−'}${fixed(Math.abs(change))}`;
  }

  const cardsIn = (root) => [...root.querySelectorAll('.documents .document')];

  // The frame, once

  function build(root) {
    root.innerHTML = FRAME;
    root.querySelector('.cutoff').max = RankedLists.HIGHEST_CUTOFF;
    for (const { title, address } of RankedLists.EXAMPLES) {
      root.querySelector('.example').append(element('option', { value: address }, title));
    }
  }

  // Everything, after every change.
  //   valuesBefore  the values of all measures before the last change; null for none
  //   held          the name of the document that is being dragged; null for none
  //   canUndo       whether there is a state to go back to
  function draw(root, state, { valuesBefore, held, canUndo }) {
    drawControls(root, state, canUndo);
    drawDocuments(root, state, held);
    drawMeasures(root, state, valuesBefore);
    drawMove(root, state);
    drawChosen(root, state);
  }

  function drawControls(root, state, canUndo) {
    const address = RankedLists.toAddress(state);
    const isExample = RankedLists.EXAMPLES.some((one) => one.address === address);
    root.querySelector('.example').value = isExample ? address : '';
    const cutoff = root.querySelector('.cutoff');
    if (document.activeElement !== cutoff) cutoff.value = state.k ?? '';
    root.querySelector('.rel').value = state.rel;
    root.querySelector('.gain').value = state.gain;
    root.querySelector('.undo').disabled = !canUndo;
    const isFull = RankedLists.documentsOf(state).length >= RankedLists.MOST_DOCUMENTS;
    for (const button of root.querySelectorAll('.add')) button.disabled = isFull;
  }

  // Documents

  // Cards are kept from one drawing to the next, so that they keep the focus and can glide to their places.
  function drawDocuments(root, state, held) {
    const cards = new Map(cardsIn(root).map((card) => [card.dataset.name, card]));
    const heights = new Map([...cards].map(([name, card]) => [name, card.getBoundingClientRect().top]));
    const focused = document.activeElement;
    for (const listed of ['ranking', 'missed']) {
      const list = root.querySelector(`[data-list="${listed}"]`);
      const wanted = state[listed].map((one, position) => {
        const card = cards.get(one.name) ?? newCard(one.name);
        fillCard(card, one, listed === 'ranking' ? position + 1 : null, state);
        card.classList.toggle('held', one.name === held);
        return card;
      });
      const isNew = wanted.length !== list.children.length || wanted.some((card, at) => card !== list.children[at]);
      if (isNew) list.replaceChildren(...wanted);
    }
    if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
    glide(root, heights);
  }

  function newCard(name) {
    const choices = RankedLists.LABELS.map((label) => {
      const [written, inWords] = [writtenLabel(label), LABELS_IN_WORDS.get(label)];
      const radio = { type: 'radio', name: `try-it-label-of-${name}`, value: written, 'aria-label': inWords };
      const shown = element('span', { 'aria-hidden': 'true' }, written);
      return element('label', { 'data-label': written, title: inWords }, element('input', radio), shown);
    });
    const button = (action, sign, title) =>
      element('button', { type: 'button', class: action, title, 'aria-label': `${title}: ${name}` }, sign);
    return element('li', { class: 'document', 'data-name': name },
      element('span', { class: 'rank', 'aria-hidden': 'true' }),
      element('button', { type: 'button', class: 'grip', 'aria-describedby': 'try-it-keys' },
        element('span', { class: 'dots', 'aria-hidden': 'true' }),
        element('span', { class: 'name' }, name)),
      element('fieldset', { class: 'labels' }, element('legend', {}, `Label of ${name}`), ...choices),
      element('span', { class: 'steps' },
        button('up', '▲', 'Move up'),
        button('down', '▼', 'Move down'),
        button('remove', '✕', 'Remove')));
  }

  // `rank` is null for a document that was not retrieved.
  function fillCard(card, { name, label }, rank, state) {
    const { length } = state.ranking;
    const cutoff = state.k ?? length;
    const place = rank === null ? 'not retrieved' : `rank ${rank} of ${length}`;
    const judged = label === null ? 'unjudged' : `label ${label}`;
    card.classList.toggle('uncounted', rank !== null && rank > cutoff);
    card.classList.toggle('last-counted', rank === cutoff && rank < length);
    card.querySelector('.rank').textContent = rank ?? '–';
    card.querySelector('.grip').setAttribute('aria-label', `${name}, ${place}, ${judged}`);
    card.querySelector(`input[value="${writtenLabel(label)}"]`).checked = true;
    card.querySelector('.up').disabled = rank === 1;
    card.querySelector('.down').disabled = rank === null;
  }

  // Lets cards glide from their heights before a change.
  function glide(root, heights) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const card of cardsIn(root)) {
      const way = heights.get(card.dataset.name) - card.getBoundingClientRect().top;
      if (way) card.animate([{ transform: `translateY(${way}px)` }, { transform: 'none' }], GLIDE);
    }
  }

  // Measures

  function drawMeasures(root, state, valuesBefore) {
    const list = RankedLists.asList(state);
    const rows = MEASURES.map((measure, at) => {
      const value = RankingMeasures.valueOf(measure, list);
      const changed = valuesBefore ? signed(value - valuesBefore[at]) : '';
      const isChosen = measure.name === state.measure;
      const cutoff = measure.takes.includes('k') && state.k !== null ? `@${state.k}` : '';
      const button = element('button',
        { type: 'button', class: 'measure', 'data-measure': measure.name, 'aria-pressed': String(isChosen) },
        element('b', {}, measure.name + cutoff),
        ' ',
        element('small', {}, measure.shortly ?? measure.fullName));
      return element('tr', { class: isChosen ? 'is-chosen' : null },
        element('th', { scope: 'row' }, button),
        element('td', { class: 'number' }, fixed(value)),
        element('td', { class: `number ${changed.startsWith('+') ? 'rise' : 'fall'}` }, changed));
    });
    root.querySelector('.measures tbody').replaceChildren(...rows);
  }

  // The ideal move with the name of its document; null if there is none.
  function idealMove(state) {
    const best = RankingMeasures.idealMove(byName.get(state.measure), RankedLists.asList(state));
    if (!best) return null;
    const documents = best.from === 'ranking' ? state.ranking : RankedLists.judgedMissed(state);
    return { ...best, name: documents[best.source].name };
  }

  function drawMove(root, state) {
    const best = idealMove(state);
    const parts = [element('h3', {}, `The ideal move for ${state.measure}`)];
    if (best) {
      const [from, to] = [best.source + 1, best.to + 1];
      const what = best.from === 'ranking'
        ? `Move ${best.name} from rank ${from} to rank ${to}`
        : `Insert ${best.name}, which was missed, at rank ${to}`;
      const values = `from ${decimal(best.before)} to ${decimal(best.after)}`;
      parts.push(
        element('p', {}, `${what}: ${state.measure} rises ${values}.`),
        element('button', { type: 'button', class: 'make' }, 'Make this move'));
    } else {
      parts.push(element('p', {}, `No single move raises ${state.measure}.`));
    }
    const rule = 'The move of one document, or the insertion of a missed one, that raises the measure most. ' +
      'Of several, the one that passes the fewest documents, then the one to the highest rank.';
    root.querySelector('.move').replaceChildren(...parts, element('p', { class: 'note' }, rule));
  }

  // The chosen measure

  function drawChosen(root, state) {
    const measure = byName.get(state.measure);
    const list = RankedLists.asList(state);
    const steps = [RankingMeasures.canonicalName(measure, list), ...RankingMeasures.workedSteps(measure, list)];
    const python = element('code', {}, RankedLists.asPython(state));
    const notes = [];
    if (measure.divisor) {
      notes.push(`Each term is divided by ${decimal(measure.divisor(list))}, ${measure.divisorIs}.`);
    }
    if (!measure.hasNoIdeal) {
      notes.push('The ideal ranking has all judged documents, the highest labels first.', 'The relevant ones are shown.');
    }
    root.querySelector('.chosen').replaceChildren(
      element('h2', { id: 'try-it-chosen' }, `${measure.name}: ${measure.fullName}`),
      element('p', {}, measure.inWords),
      element('p', { class: 'formula' }, steps.join(' = ')),
      contributionTable(measure, list, state.ranking),
      element('p', { class: 'note' }, notes.join(' ')),
      element('p', { class: 'note' }, 'The same in Python: ', python));
  }

  // A row for each rank: the document there and what it adds, and beside it the same of the ideal ranking.
  function contributionTable(measure, list, ranking) {
    const added = RankingMeasures.contributions(measure, list);
    const ideal = RankingMeasures.idealRanking(measure, list) ?? [];
    const idealAdded = ideal.map(({ contribution }) => contribution);
    const longest = Math.max(...added, ...idealAdded);
    const cutoff = measure.takes.includes('k') ? list.k ?? Infinity : Infinity;

    const chip = (label) =>
      element('span', { class: 'chip', 'data-label': writtenLabel(label) }, writtenLabel(label));
    const amount = (number) =>
      element('span', { class: 'amount', style: `--share: ${longest > 0 ? number / longest : 0}` },
        element('span', { class: 'fill' }), element('span', { class: 'digits' }, number ? fixed(number) : '0'));
    const nothing = () => [element('td'), element('td')];

    const yours = (position) => {
      if (position >= ranking.length) return nothing();
      const { name, label } = ranking[position];
      return [element('td', {}, chip(label), ' ', name), element('td', {}, amount(added[position]))];
    };
    const best = (position) => {
      if (measure.hasNoIdeal) return [];
      if (position >= ideal.length) return nothing();
      const { label, contribution } = ideal[position];
      return [element('td', {}, chip(label)), element('td', { class: 'ideal' }, amount(contribution))];
    };
    const rows = Array.from({ length: Math.max(ranking.length, ideal.length) }, (_, position) =>
      element('tr', { class: position < cutoff ? null : 'uncounted' },
        element('th', { scope: 'row' }, String(position + 1)), ...yours(position), ...best(position)));

    const total = (numbers) => fixed(numbers.reduce((sum, number) => sum + number, 0));
    const heads = ['Rank', 'Your list', 'Adds'];
    const totals = ['', 'Sum', total(added)];
    if (!measure.hasNoIdeal) {
      heads.push('Ideal', 'Adds');
      totals.push('', total(idealAdded));
    }
    return element('table', { class: 'contributions' },
      element('caption', {}, `What each rank adds to ${measure.name}`),
      element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
      element('tbody', {}, ...rows),
      element('tfoot', {}, element('tr', {}, ...totals.map((text) => element('td', {}, text)))));
  }

  return { LABELS_IN_WORDS, build, draw, decimal, signed, idealMove };
})();
