// The measures of one ranked list, its ideal ranking, and the best single move, all of them without a page.
//
// The formulas are those of rankmark, and tests/unit/test_try_it.py compares every number with rankmark's.
//
// A list is an object with these fields:
//   labels  the labels in rank order; null for an unjudged document
//   missed  the labels of the judged documents that were not retrieved, in any order
//   k       the cutoff; null for none
//   rel     the lowest label that counts as relevant
//   gain    'linear': the gain of a document is its label; 'exp2': it is 2^label - 1
//
// Ranks start at 1, and positions in arrays at 0.

const RankingMeasures = (() => {
  'use strict';

  const PERSISTENCE = 0.9; // of RBP: the probability that the user continues to the next rank
  const HIGHEST_LABEL = 4; // of ERR: the highest label of the scale
  const ROUNDING = 1e-9; // values that differ by less are equal

  // What several measures need

  const isRelevant = (list, label) => label !== null && label >= list.rel;

  // The number of ranks that count: without a cutoff, all that were retrieved.
  const cutoffOf = (list) => list.k ?? list.labels.length;

  const judgedLabels = (list) => [...list.labels, ...list.missed].filter((label) => label !== null);

  const numRelevant = (list) => judgedLabels(list).filter((label) => isRelevant(list, label)).length;

  // Gives one number for each rank: that of the function down to the cutoff, and 0 below it.
  const downToCutoff = (list, term) =>
    list.labels.map((label, position) => (position < cutoffOf(list) ? term(label, position + 1) : 0));

  const hits = (list) => downToCutoff(list, (label) => (isRelevant(list, label) ? 1 : 0));

  // 1 at the rank of the first relevant document, 0 at all others.
  const firstHit = (list) => {
    const first = hits(list).indexOf(1);
    return list.labels.map((_, position) => (position === first ? 1 : 0));
  };

  // The number of relevant documents down to each rank.
  const found = (list) => {
    let count = 0;
    return hits(list).map((hit) => (count += hit));
  };

  const gainOf = (list, label) => (list.gain === 'exp2' ? 2 ** (label ?? 0) - 1 : (label ?? 0));

  const gains = (list) => downToCutoff(list, (label) => gainOf(list, label));

  const discounted = (list) => gains(list).map((gain, position) => gain / Math.log2(position + 2));

  // ERR: the probability that each document satisfies the user, and that the user arrives at it.
  const stops = (list) => {
    let arriving = 1;
    const contents = downToCutoff(list, (label) => (2 ** (label ?? 0) - 1) / 2 ** HIGHEST_LABEL);
    return contents.map((content) => {
      const stop = { arriving, content };
      arriving *= 1 - content;
      return stop;
    });
  };

  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

  // Every measure is the sum of one term for each rank, divided by a number if it has a `divisor`.
  //
  //   name       as in rankmark
  //   fullName   the name in words
  //   shortly    the name in words and other common names, for a table
  //   inWords    the formula in words
  //   takes      which settings of the list it uses
  //   terms      the term of each rank
  //   divisor    what the sum of the terms is divided by; 0 / 0 counts as 0
  //   divisorIs  the divisor in words
  //   written    the term of one position as a formula; without it, every term other than 0 is 1
  //   frame      the formula, given the sum of the terms as text, and the list
  const MEASURES = [
    {
      name: 'P',
      fullName: 'precision',
      inWords:
        'The number of relevant documents among the first k, divided by k. Without a cutoff, k is ' +
        'the length of the list.',
      takes: ['k', 'rel'],
      terms: hits,
      divisor: cutoffOf,
      divisorIs: 'the cutoff k, or the length of the list without one',
    },
    {
      name: 'R',
      fullName: 'recall',
      inWords:
        'The number of relevant documents among the first k, divided by the number of all relevant ' +
        'documents, retrieved or not.',
      takes: ['k', 'rel'],
      terms: hits,
      divisor: numRelevant,
      divisorIs: 'the number of relevant documents, retrieved or not',
    },
    {
      name: 'F',
      fullName: 'F measure',
      shortly: 'F1',
      inWords:
        'The harmonic mean of precision and recall, also called F1: twice the number of relevant ' +
        'documents among the first k, divided by the sum of k and the number of all relevant ' +
        'documents.',
      takes: ['k', 'rel'],
      terms: (list) => hits(list).map((hit) => 2 * hit),
      divisor: (list) => numRelevant(list) + cutoffOf(list),
      divisorIs: 'the number of relevant documents plus k',
      written: () => '2',
      frame: (total, list) => `2 × ${sum(hits(list))} / (${numRelevant(list)} + ${cutoffOf(list)})`,
    },
    {
      name: 'Success',
      fullName: 'success rate',
      shortly: 'success rate, hit rate',
      inWords:
        '1 if there is a relevant document among the first k, otherwise 0. Its mean over queries is ' +
        'also called hit rate.',
      takes: ['k', 'rel'],
      terms: firstHit,
    },
    {
      name: 'Rprec',
      fullName: 'R-precision',
      inWords:
        'Precision at the rank that equals the number of all relevant documents: with four relevant ' +
        'documents, precision among the first four.',
      takes: ['rel'],
      terms: (list) => hits({ ...list, k: numRelevant(list) }),
      divisor: numRelevant,
      divisorIs: 'the number of relevant documents, retrieved or not',
    },
    {
      name: 'RR',
      fullName: 'reciprocal rank',
      shortly: 'reciprocal rank (mean: MRR)',
      inWords:
        '1 divided by the rank of the first relevant document, or 0 if there is none among the ' +
        'first k. Its mean over queries is called MRR.',
      takes: ['k', 'rel'],
      terms: (list) => firstHit(list).map((first, position) => first / (position + 1)),
      written: (list, position) => `1/${position + 1}`,
    },
    {
      name: 'AP',
      fullName: 'average precision',
      shortly: 'average precision (mean: MAP)',
      inWords:
        'The precision at the rank of each relevant document among the first k, summed, and divided ' +
        'by the number of all relevant documents: one that was not retrieved adds nothing. Its mean ' +
        'over queries is called MAP.',
      takes: ['k', 'rel'],
      terms: (list) => {
        const counts = found(list);
        return hits(list).map((hit, position) => (hit * counts[position]) / (position + 1));
      },
      divisor: numRelevant,
      divisorIs: 'the number of relevant documents, retrieved or not',
      written: (list, position) => `${found(list)[position]}/${position + 1}`,
    },
    {
      name: 'CG',
      fullName: 'cumulative gain',
      inWords: 'The sum of the gains of the first k documents.',
      takes: ['k', 'gain'],
      terms: gains,
      written: (list, position) => short(gains(list)[position]),
    },
    {
      name: 'DCG',
      fullName: 'discounted cumulative gain',
      inWords: 'The sum of the gains of the first k documents, each divided by log2(rank + 1).',
      takes: ['k', 'gain'],
      terms: discounted,
      written: writtenDiscounted,
    },
    {
      name: 'nDCG',
      fullName: 'normalised discounted cumulative gain',
      shortly: 'normalised DCG',
      inWords:
        'The DCG of the list divided by the DCG of the ideal ranking, which has all judged ' +
        'documents, those with the highest labels first.',
      takes: ['k', 'gain'],
      terms: discounted,
      divisor: (list) => sum(discounted(idealList(list))),
      divisorIs: 'the DCG of the ideal ranking',
      written: writtenDiscounted,
      frame: (total, list) => `${total} / ${grouped(writtenTerms(byName.get('DCG'), idealList(list)))}`,
    },
    {
      name: 'ERR',
      fullName: 'expected reciprocal rank',
      inWords:
        'The expected value of 1 / rank at the rank where a user stops who reads from the top until ' +
        'a document satisfies them. A document satisfies with probability (2^label − 1) / 16.',
      takes: ['k'],
      terms: (list) =>
        stops(list).map(({ arriving, content }, position) => (arriving * content) / (position + 1)),
      written: (list, position) => {
        const { arriving, content } = stops(list)[position];
        return `${short(arriving)} × ${short(content)}/${position + 1}`;
      },
    },
    {
      name: 'RBP',
      fullName: 'rank-biased precision',
      inWords:
        'The expected rate at which a user finds relevant documents who continues from each rank to ' +
        'the next with probability 0.9: rank 1 counts 0.1, and each further rank 0.9 times as much ' +
        'as the one above.',
      takes: ['k', 'rel'],
      terms: (list) =>
        hits(list).map((hit, position) => (1 - PERSISTENCE) * hit * PERSISTENCE ** position),
      written: (list, position) => `${PERSISTENCE}^${position}`,
      frame: (total) => `(1 − ${PERSISTENCE}) × ${total}`,
    },
    {
      name: 'Judged',
      fullName: 'share of documents judged',
      shortly: 'share judged',
      inWords:
        'The share of the first k documents that are judged, relevant or not. A list shorter than k ' +
        'is divided by its length.',
      takes: ['k'],
      terms: (list) => downToCutoff(list, (label) => (label === null ? 0 : 1)),
      divisor: (list) => Math.min(cutoffOf(list), list.labels.length),
      divisorIs: 'the number of documents down to the cutoff',
      hasNoIdeal: true,
    },
  ];

  const byName = new Map(MEASURES.map((measure) => [measure.name, measure]));

  // What each rank contributes to the value: one number for each rank, which add up to it.
  function contributions(measure, list) {
    const divisor = measure.divisor ? measure.divisor(list) : 1;
    return measure.terms(list).map((term) => (divisor === 0 ? 0 : term / divisor));
  }

  function valueOf(measure, list) {
    return sum(contributions(measure, list));
  }

  // The name by which rankmark finds the measure with the settings of a list, such as AP(rel=2)@5.
  function canonicalName(measure, list) {
    const takes = (setting) => measure.takes.includes(setting);
    let name = measure.name;
    if (takes('rel') && list.rel !== 1) name += `(rel=${list.rel})`;
    if (takes('gain') && list.gain !== 'linear') name += `(gain="${list.gain}")`;
    if (takes('k') && list.k !== null) name += `@${list.k}`;
    return name;
  }

  // Ideal rankings

  // The list of all judged documents, the highest label first.
  function idealList(list) {
    return { ...list, labels: judgedLabels(list).sort((a, b) => b - a), missed: [] };
  }

  // The relevant documents of the ideal ranking, down to the cutoff: [{label, contribution}] from rank 1.
  // null for Judged, to which all judged documents are equal.
  function idealRanking(measure, list) {
    if (measure.hasNoIdeal) return null;
    const lowest = measure.takes.includes('rel') ? list.rel : 1;
    const ideal = idealList(list);
    const added = contributions(measure, ideal);
    const depth = measure.takes.includes('k') ? cutoffOf(ideal) : ideal.labels.length;
    return ideal.labels
      .map((label, position) => ({ label, contribution: added[position] }))
      .filter(({ label }, position) => label >= lowest && position < depth);
  }

  // Moves
  //
  // A move takes one document out and puts it at another rank: {from, source, to, passed}.
  //   from    'ranking' or 'missed', where the document is
  //   source  its position there
  //   to      its new position in the ranking
  //   passed  how many documents it passes; a missed document passes those below its new rank

  // Those of ranked documents come first, each in the order of the documents.
  function allMoves(length, numMissed) {
    const moves = [];
    for (let source = 0; source < length; source++) {
      for (let to = 0; to < length; to++) {
        if (to !== source) moves.push({ from: 'ranking', source, to, passed: Math.abs(to - source) });
      }
    }
    for (let source = 0; source < numMissed; source++) {
      for (let to = 0; to <= length; to++) moves.push({ from: 'missed', source, to, passed: length - to });
    }
    return moves;
  }

  // Gives the ranking and the missed documents after a move; works for labels as for documents.
  function afterMove(ranking, missed, { from, source, to }) {
    const [ranked, others] = [[...ranking], [...missed]];
    const [taken] = (from === 'ranking' ? ranked : others).splice(source, 1);
    ranked.splice(to, 0, taken);
    return [ranked, others];
  }

  // The single move that raises the measure most, with the value `before` and `after`; null if none does.
  // Of several, the one that passes the fewest documents, then the one to the highest rank,
  // then the document that is higher in the ranking, and missed documents last.
  function idealMove(measure, list) {
    const before = valueOf(measure, list);
    const tried = allMoves(list.labels.length, list.missed.length).map((move) => {
      const [labels, missed] = afterMove(list.labels, list.missed, move);
      return { ...move, before, after: valueOf(measure, { ...list, labels, missed }) };
    });
    const best = Math.max(...tried.map((move) => move.after));
    if (!(best > before + ROUNDING)) return null;
    // sort keeps the order of equal elements, which is that of allMoves.
    return tried
      .filter((move) => move.after > best - ROUNDING)
      .sort((a, b) => a.passed - b.passed || a.to - b.to)[0];
  }

  // Formulas as text

  // A number with at most six significant digits, as rankmark writes it.
  function short(number) {
    return String(Number(number.toPrecision(6)));
  }

  function writtenDiscounted(list, position) {
    return `${short(gains(list)[position])}/log2(${position + 2})`;
  }

  // The terms other than 0, joined by plus signs, or their number if each is 1.
  function writtenTerms(measure, list) {
    const positions = measure.terms(list).flatMap((term, position) => (term === 0 ? [] : [position]));
    if (!measure.written) return String(positions.length);
    return positions.map((position) => measure.written(list, position)).join(' + ') || '0';
  }

  function grouped(text) {
    return /^\d+$/.test(text) ? text : `(${text})`;
  }

  // The formula with the numbers of a list, in steps that are all equal, down to the value.
  function workedSteps(measure, list) {
    const total = writtenTerms(measure, list);
    const inGroup = total.includes(' + ') ? `(${total})` : total;
    const value = short(valueOf(measure, list));
    const divisor = measure.divisor?.(list);
    if (divisor === 0) return ['0 / 0, which counts as 0'];
    const steps = [];
    if (measure.frame) steps.push(measure.frame(inGroup, list));
    else if (measure.divisor) steps.push(`${inGroup} / ${short(divisor)}`);
    else steps.push(total);
    if (measure.divisor && measure.written && total.includes('/')) {
      steps.push(`${short(sum(measure.terms(list)))} / ${short(divisor)}`);
    }
    steps.push(value);
    return steps.filter((step, position) => step !== steps[position - 1]);
  }

  return { MEASURES, byName, contributions, valueOf, canonicalName, idealRanking, idealMove, workedSteps };
})();

// For programs without a page; browsers take the name from the script.
globalThis.RankingMeasures = RankingMeasures;
