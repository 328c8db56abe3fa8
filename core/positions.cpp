// Ranking by position: only what is asked for is looked up, the rest is counted.
#include "positions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string_view>

#include "rows_by_id.hpp"
#include "shared_queries.hpp"
#include "table.hpp"
#include "written_numbers.hpp"

namespace rankmark {
namespace {

// The `most`-th greatest value, where there are more than that; else the least of all doubles.
double threshold(std::span<const double> values, std::int64_t most, std::vector<double>& heap) {
  if (static_cast<std::int64_t>(values.size()) <= most) return -HUGE_VAL;
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(most);
  heap.assign(values.begin(), first);
  std::make_heap(heap.begin(), heap.end(), std::greater<>());
  for (auto value = first; value != values.end(); ++value) {
    if (*value <= heap.front()) continue;
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.back() = *value;
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }
  return heap.front();
}

// Counts the values that another one equals.
class TieCounter {
 public:
  std::int64_t operator()(std::span<const double> values) {
    std::size_t size = 16;
    while (size < 4 * values.size()) size *= 2;  // so that nearly every value meets an empty slot
    slots_.assign(size, kEmpty);
    alone_.assign(values.size(), 1);
    const int shift = 64 - std::countr_zero(size);
    std::int64_t tied = 0;
    for (std::uint32_t row = 0; row < values.size(); ++row) {
      const double value = values[row] + 0.0;  // -0 becomes 0
      std::size_t slot = (std::bit_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15) >> shift;
      while (slots_[slot] != kEmpty && values[slots_[slot]] != value) slot = (slot + 1) & (size - 1);
      if (slots_[slot] == kEmpty) {
        slots_[slot] = row;
      } else {
        tied += alone_[slots_[slot]] != 0 ? 2 : 1;
        alone_[slots_[slot]] = 0;
      }
    }
    return tied;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint8_t> alone_;
};

void check_no_nan(std::span<const double> values, std::size_t column, std::int64_t first) {
  bool all_there = true;
  for (const double value : values) all_there &= value == value;
  if (all_there) return;
  const auto nan = std::find_if(values.begin(), values.end(), [](double value) { return value != value; });
  throw TableFault(column, first + (nan - values.begin()), {"is NaN", "mask it, or replace it"});
}

// Ranks one query after another; one for each thread.
class PositionRanker {
 public:
  PositionRanker(const Positions& positions, const RankingOptions& options)
      : positions_(positions), options_(options), cut_ranker_(options), whole_ranker_(without_judged_only(options)) {}

  // Appends the query's hits.
  QueryCounts rank(std::uint32_t query, std::vector<Hit>& hits) {
    first_ = positions_.starts[query];
    const auto place = static_cast<std::size_t>(first_);
    const auto rows = static_cast<std::size_t>(positions_.starts[query + std::size_t{1}] - first_);
    check_rankable(rows);
    labels_ = positions_.labels.subspan(place, rows);
    std::span<const double> scores = positions_.scores.subspan(place, rows);
    check_no_nan(labels_, 0, first_);
    check_no_nan(scores, 1, first_);
    if (options_.single) {
      held_.assign(scores.begin(), scores.end());
      for (double& score : held_) score = options_.held(score);
      scores = held_;
    }
    written_.start();

    // What a cut leaves of the ties can be told only by ranking every document.
    const bool whole = options_.depth >= static_cast<std::int64_t>(rows);
    const double lowest = whole ? options_.lowest : -HUGE_VAL;
    const double least = whole ? threshold(scores, options_.deepest, heap_) : -HUGE_VAL;
    // Documents below the last rank that is kept take no part.
    matches_.clear();
    rows_.clear();
    scores_.clear();
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (!(scores[row] >= least)) continue;
      const auto place_among = static_cast<std::uint32_t>(rows_.size());
      if (labels_[row] >= lowest) matches_.push_back({scores[row], row, place_among});
      rows_.push_back(row);
      scores_.push_back(scores[row]);
    }
    Ranker& ranker = whole ? whole_ranker_ : cut_ranker_;
    QueryCounts counts = ranker.rank(scores_, matches_, [&](std::size_t row) { return text(rows_[row]); }, *this, hits);
    if (whole) {
      counts.judged = static_cast<std::int64_t>(rows);
      counts.judged_top = std::min<std::int64_t>(counts.judged, kTop);
      counts.tied = count_tied_(scores);
      counts.retrieved = counts.judged;
    }
    return counts;
  }

  double label(std::uint32_t row) const { return labels_[row]; }
  std::string_view document_id(std::uint32_t row) const { return text(row); }

 private:
  // Of a whole ranking in which every document is judged, it leaves everything as it is.
  static RankingOptions without_judged_only(RankingOptions options) {
    options.judged_only = false;
    return options;
  }

  std::string_view text(std::size_t row) const {
    return written_.text(row, labels_.size(), [&](std::size_t i) {
      return positions_.ids.empty() ? static_cast<std::int32_t>(i)
                                    : positions_.ids[static_cast<std::size_t>(first_) + i];
    });
  }

  const Positions& positions_;
  RankingOptions options_;
  Ranker cut_ranker_, whole_ranker_;
  TieCounter count_tied_;
  std::span<const double> labels_;
  std::int64_t first_ = 0;
  std::vector<double> heap_, held_, scores_;
  std::vector<std::uint32_t> rows_;
  std::vector<Match> matches_;
  mutable WrittenNumbers written_;
};

struct RepeatedDocument {};

// Ranks one query after another, looking up the judged documents among the retrieved; one for each thread.
class NumberRanker {
 public:
  NumberRanker(const NumberedJudgments& judgments, const NumberedRun& run, const RankingOptions& options)
      : judgments_(judgments),
        run_(run),
        options_(run.scores.empty() ? options.of_ranks() : options),
        ranker_(options_) {}

  // Appends the query's hits.
  QueryCounts rank(std::uint32_t query, std::vector<Hit>& hits) {
    const std::int64_t first = run_.starts[query];
    const auto place = static_cast<std::size_t>(first);
    rows_ = static_cast<std::size_t>(run_.starts[query + std::size_t{1}] - first);
    check_rankable(rows_);
    ids_ = run_.ids.empty() ? run_.ids : run_.ids.subspan(place, rows_);
    const std::span<const double> scores = scores_of(place);
    if (!run_.scores.empty()) check_no_nan(scores, 1, first);
    written_.start();
    matches_.clear();
    found_.clear();
    const auto judged = static_cast<std::size_t>(judgments_.starts[query]);
    const std::size_t end = static_cast<std::size_t>(judgments_.starts[query + std::size_t{1}]);
    const auto match = [&](std::size_t at, std::size_t row) {
      matches_.push_back({scores[row], static_cast<std::uint32_t>(found_.size()), static_cast<std::uint32_t>(row)});
      found_.push_back({judgments_.labels[at], row});
    };
    const auto documents =
        judgments_.documents.empty() ? judgments_.documents : judgments_.documents.subspan(judged, end - judged);
    const bool few = kFew * rows_ < documents.size() && std::is_sorted(documents.begin(), documents.end());
    index_ids(few ? 1 : end - judged);
    if (!ids_.empty() && few) {
      for (std::size_t row = 0; row < rows_; ++row) {
        const auto at = std::lower_bound(documents.begin(), documents.end(), ids_[row]);
        if (at != documents.end() && *at == ids_[row])
          match(judged + static_cast<std::size_t>(at - documents.begin()), row);
      }
    } else {
      for (std::size_t at = judged; at < end; ++at) {
        const std::size_t row = row_holding(documents.empty() ? static_cast<std::int64_t>(at - judged)
                                                              : std::int64_t{documents[at - judged]});
        if (row != rows_) match(at, row);
      }
    }
    QueryCounts counts = ranker_.rank(scores, matches_, [&](std::size_t row) { return text(row); }, *this, hits);
    counts.self_matches = row_holding(query) < rows_ ? 1 : 0;
    return counts;
  }

  double label(std::uint32_t match) const { return found_[match].label; }
  std::string_view document_id(std::uint32_t match) const { return text(found_[match].row); }

 private:
  // Where the judged documents are as many times more than the retrieved, these are looked for among them.
  static constexpr std::size_t kFew = 4;

  struct Found {
    double label;
    std::size_t row;
  };

  void index_ids(std::size_t questions) {
    if (ids_.empty()) return;
    hashes_.clear();
    for (const std::int64_t id : ids_) hashes_.push_back(hash_id(id));
    const auto id_of = [&](std::size_t row) { return ids_[row]; };
    if (rows_by_id_.start(hashes_, questions, id_of) < rows_) throw RepeatedDocument();
  }

  std::size_t row_holding(std::int64_t document) {
    if (run_.ids.empty()) return std::min(static_cast<std::size_t>(document), rows_);
    if (ids_.empty()) return rows_;
    const auto id_of = [&](std::size_t row) { return ids_[row]; };
    return rows_by_id_.find(document, hash_id(document), id_of);
  }

  std::span<const double> scores_of(std::size_t place) {
    if (run_.scores.empty()) {  // minus the place of each
      for (std::size_t row = held_.size(); row < rows_; ++row) held_.push_back(-static_cast<double>(row));
      return std::span<const double>(held_).first(rows_);
    }
    const std::span<const double> scores = run_.scores.subspan(place, rows_);
    if (!options_.single) return scores;
    held_.assign(scores.begin(), scores.end());
    for (double& score : held_) score = options_.held(score);
    return held_;
  }

  std::string_view text(std::size_t row) const {
    return written_.text(row, rows_,
                         [&](std::size_t i) { return ids_.empty() ? static_cast<std::int64_t>(i) : ids_[i]; });
  }

  const NumberedJudgments& judgments_;
  const NumberedRun& run_;
  RankingOptions options_;
  Ranker ranker_;
  std::size_t rows_ = 0;
  std::span<const std::int64_t> ids_;
  std::vector<std::uint64_t> hashes_;
  RowsById rows_by_id_;
  std::vector<double> held_;
  std::vector<Found> found_;
  std::vector<Match> matches_;
  mutable WrittenNumbers written_;
};

}  // namespace

std::optional<AlignedColumns> align_numbered(const NumberedJudgments& judgments, const NumberedRun& run,
                                             const RankingOptions& ranking, int threads, const Poll& poll) {
  const auto queries = static_cast<std::uint32_t>(run.starts.size() - 1);
  try {
    return rank_queries(queries, queries, threads, poll, [&] {
      return [ranker = NumberRanker(judgments, run, ranking)](std::uint32_t query, std::vector<Hit>& hits) mutable {
        return ranker.rank(query, hits);
      };
    });
  } catch (const RepeatedDocument&) {
    return std::nullopt;
  }
}

AlignedColumns align_positions(const Positions& positions, const RankingOptions& ranking, int threads,
                               const Poll& poll) {
  const auto queries = static_cast<std::uint32_t>(positions.starts.size() - 1);
  return rank_queries(queries, queries, threads, poll, [&] {
    return [ranker = PositionRanker(positions, ranking)](std::uint32_t query, std::vector<Hit>& hits) mutable {
      return ranker.rank(query, hits);
    };
  });
}

SortedLabels sort_labels(std::span<const double> labels, std::span<const std::int64_t> starts, double lowest,
                         std::int64_t most, int threads, const Poll& poll) {
  const std::size_t queries = starts.size() - 1;
  std::vector<std::vector<double>> sorted(queries);
  share_out_queries(static_cast<std::uint32_t>(queries), threads, poll, [&] {
    return [&, heap = std::vector<double>()](std::uint32_t q) mutable {
      const auto rows = static_cast<std::size_t>(starts[q + std::size_t{1}] - starts[q]);
      const auto own = labels.subspan(static_cast<std::size_t>(starts[q]), rows);
      check_no_nan(own, 0, starts[q]);
      // Of labels that equal the last one kept there may be many: they are counted, not sorted.
      const double last = threshold(own, most, heap);
      std::vector<double>& kept = sorted[q];
      for (const double label : own) {
        if (label >= lowest && label > last) kept.push_back(label);
      }
      std::sort(kept.begin(), kept.end(), std::greater<>());
      if (last >= lowest && last > -HUGE_VAL) kept.resize(static_cast<std::size_t>(most), last);
    };
  });
  SortedLabels all;
  all.starts.push_back(0);
  for (const std::vector<double>& kept : sorted) {
    all.labels.insert(all.labels.end(), kept.begin(), kept.end());
    all.starts.push_back(static_cast<std::int64_t>(all.labels.size()));
  }
  return all;
}

}  // namespace rankmark
