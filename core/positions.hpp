// Labels and scores of the same documents side by side, as learning to rank has them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "columns.hpp"
#include "poll.hpp"
#include "ranking.hpp"

namespace rankmark {

struct Unlabelled {};  // the label of a document is its place, and no column has it

// Place i of both columns is one document, judged and retrieved; query q owns the places starts[q] to
// starts[q + 1]. A document's id is its number written out: `ids[i]`, or without ids its place within
// the query, from 0. Labels are doubles, or std::int64_t up to 2^53, or none.
template <class Label>
struct Positions {
  std::span<const Label> labels;
  std::span<const double> scores;
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> ids;
};

// Throws TableFault for NaN: column 0 are labels, of which only those are looked at whose documents may be kept, 1
// scores, and the row is the place.
template <class Label>
AlignedColumns align_positions(const Positions<Label>& positions, const RankingOptions& ranking, int threads,
                               const Poll& poll);

// Judgments of documents that are numbers: query q owns the places starts[q] to starts[q + 1]. Without `documents`,
// they count from 0 within the query.
struct NumberedJudgments {
  std::span<const double> labels;
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> documents;
};

// A run of the same queries and of documents that are numbers: `ids`, or without ids from 0 within the query.
// Without `scores`, the best comes first. The document whose id is that of query q has the number own[q], which may be
// that of none; without `own`, q.
template <class Id>
struct NumberedRun {
  std::span<const std::int64_t> starts;
  std::span<const Id> ids;
  std::span<const double> scores;
  std::span<const std::int64_t> own;
};

// Nothing where a document stands twice for a query. Throws TableFault for a score that is NaN, in column 1.
template <class Id>
std::optional<AlignedColumns> align_numbered(const NumberedJudgments& judgments, const NumberedRun<Id>& run,
                                             const RankingOptions& ranking, int threads, const Poll& poll);

struct SortedLabels {
  std::vector<std::int64_t> starts;
  std::vector<double> labels;
};

// Each query's labels from `lowest`, high to low, the `most` highest of them.
template <class Label>
SortedLabels sort_labels(std::span<const Label> labels, std::span<const std::int64_t> starts, double lowest,
                         std::int64_t most, int threads, const Poll& poll);

}  // namespace rankmark
