// Ranking by position: only what is asked for is looked up, the rest is counted.
#include "positions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <type_traits>

#include "highest.hpp"
#include "prefetch.hpp"
#include "rows_by_id.hpp"
#include "shared_queries.hpp"
#include "table.hpp"
#include "written_numbers.hpp"

namespace rankmark {
namespace {

// Calls `use(i)` for each values[i] that compares so with `bound`. Blocks without any are skipped.
template <class Value, class Compare, class Use>
void each_beyond(std::span<const Value> values, Value bound, const Compare& beyond, const Use& use) {
  constexpr std::size_t kBlock = 16;
  const std::size_t size = values.size();
  for (std::size_t first = 0; first < size; first += kBlock) {
    const std::size_t end = std::min(first + kBlock, size);
    if (end - first == kBlock) {
      std::uint64_t some = 0;  // as wide as a double, so that several are compared at once
      for (std::size_t i = 0; i < kBlock; ++i) some |= beyond(values[first + i], bound) ? std::uint64_t{1} : 0;
      if (some == 0) continue;
    }
    for (std::size_t i = first; i < end; ++i) {
      if (beyond(values[i], bound)) use(i);
    }
  }
}

// Counts the values that another one equals.
class TieCounter {
 public:
  std::int64_t operator()(std::span<const double> values) {
    std::size_t size = 16;
    while (size < 4 * values.size()) size *= 2;  // so that nearly every value meets an empty slot
    if (size > slots_.size() || values.size() > std::numeric_limits<std::uint32_t>::max() - base_) {
      slots_.assign(std::max(size, slots_.size()), 0);
      base_ = 1;
    }
    if (values.size() > earlier_.size()) {
      earlier_.resize(values.size());
      met_.resize(values.size());
    }
    // Each slot holds the last value that came there, each value the one it found; no branch depends on either.
    const int shift = 64 - std::countr_zero(size);
    const std::uint32_t base = base_;
    // Of multipliers that nobody knows, few make many values meet (Dietzfelbinger et al. 1997, "A reliable randomized
    // algorithm for the closest-pair problem").
    const std::uint64_t odd = hashing::kSecrets.second;
    std::uint32_t *const slots = slots_.data(), *const earlier = earlier_.data(), *const rows = met_.data();
    std::size_t met = 0;
    for (std::uint32_t row = 0; row < values.size(); ++row) {
      std::uint32_t& slot = slots[(std::bit_cast<std::uint64_t>(values[row] + 0.0) * odd) >> shift];  // -0 becomes 0
      const std::uint32_t before = slot;
      slot = base + row;
      earlier[row] = before;
      rows[met] = row;
      met += before >= base ? 1 : 0;
    }
    const std::int64_t tied = count(values, met);
    base_ += static_cast<std::uint32_t>(values.size());  // what the slots hold is now below
    return tied;
  }

 private:
  // Of the rows that met others in their slots. A value is counted with the next that equals it.
  std::int64_t count(std::span<const double> values, std::size_t met) {
    alone_.assign(values.size(), 1);
    std::int64_t tied = 0;
    for (std::size_t i = 0; i < met; ++i) {
      const std::uint32_t row = met_[i];
      for (std::uint32_t at = earlier_[row]; at >= base_; at = earlier_[at - base_]) {
        if (values[at - base_] != values[row]) continue;
        tied += 1 + alone_[at - base_];
        alone_[row] = 0;
        break;
      }
    }
    return tied;
  }

  std::uint32_t base_ = 1;              // where the rows of these values begin; what is less is of others
  std::vector<std::uint32_t> slots_;    // base_ + row
  std::vector<std::uint32_t> earlier_;  // for each row, what its slot held
  std::vector<std::uint32_t> met_;      // rows whose slots held another
  std::vector<std::uint8_t> alone_;
};

void check_no_nan(std::span<const double> values, std::size_t column, std::int64_t first) {
  std::uint64_t special = 0;
  for (const double value : values) special |= std::bit_cast<std::uint64_t>(value - value);  // 0, but of inf and NaN
  if (special == 0) return;
  const auto nan = std::find_if(values.begin(), values.end(), [](double value) { return value != value; });
  if (nan == values.end()) return;
  throw TableFault(column, first + (nan - values.begin()), {"is NaN", "mask it, or replace it"});
}

void check_no_nan(std::span<const std::int64_t>, std::size_t, std::int64_t) {}

// Asks for the beginning of what is read next, which follows these values.
template <class Value>
void prefetch_after(std::span<const Value> all, std::size_t end) {
  constexpr std::size_t kLine = 8, kMost = 2048;
  const std::size_t last = std::min(end + kMost, all.size());
  for (std::size_t at = end; at < last; at += kLine) prefetch(&all[at]);
}

// Ranks one query after another; one for each thread.
template <class Label>
class PositionRanker {
 public:
  PositionRanker(const Positions<Label>& positions, const RankingOptions& options)
      : positions_(positions), options_(options), cut_ranker_(options), whole_ranker_(without_judged_only(options)) {}

  // Appends the query's hits.
  QueryCounts rank(std::uint32_t query, std::vector<Hit>& hits) {
    first_ = positions_.starts[query];
    const auto place = static_cast<std::size_t>(first_);
    const auto rows = static_cast<std::size_t>(positions_.starts[query + std::size_t{1}] - first_);
    check_rankable(rows);
    size_ = rows;
    if constexpr (kLabelled) labels_ = positions_.labels.subspan(place, rows);
    std::span<const double> scores = positions_.scores.subspan(place, rows);
    check_no_nan(scores, 1, first_);
    prefetch_after(positions_.scores, place + rows);
    scores = whole_ranker_.held(scores);
    written_.start();

    // What a cut leaves of the ties can be told only by ranking every document.
    const bool whole = options_.depth >= static_cast<std::int64_t>(rows);
    const double lowest = whole ? options_.lowest : -HUGE_VAL;
    // Documents below the last rank that is kept take no part. The labels of the others are far apart.
    const double reached = whole ? reached_by(scores, options_.deepest, scratch_) : -HUGE_VAL;
    rows_.clear();
    scores_.clear();
    each_beyond(scores, reached, std::greater_equal<>(), [&](std::size_t row) {
      if constexpr (kLabelled) prefetch(&labels_[row]);
      rows_.push_back(static_cast<std::uint32_t>(row));
      scores_.push_back(scores[row]);
    });
    if (whole) drop_below_deepest();
    const std::int64_t tied = whole ? count_tied_(scores) : 0;
    matches_.clear();
    for (std::uint32_t at = 0; at < rows_.size(); ++at) {
      const double one = label(rows_[at]);
      if constexpr (kLabelled) {
        if (std::isnan(one)) check_no_nan(labels_, 0, first_);
      }
      if (one >= lowest) matches_.push_back({scores_[at], rows_[at], at});
    }
    Ranker& ranker = whole ? whole_ranker_ : cut_ranker_;
    QueryCounts counts = ranker.rank(scores_, matches_, [&](std::size_t row) { return text(rows_[row]); }, *this, hits);
    if (whole) {
      counts.judged = static_cast<std::int64_t>(rows);
      counts.judged_top = std::min<std::int64_t>(counts.judged, kTop);
      counts.tied = tied;
      counts.retrieved = counts.judged;
    }
    return counts;
  }

  double label(std::uint32_t row) const {
    if constexpr (kLabelled) {
      return static_cast<double>(labels_[row]);
    } else {
      return static_cast<double>(first_ + row);
    }
  }
  std::string_view document_id(std::uint32_t row) const { return text(row); }

 private:
  static constexpr bool kLabelled = !std::is_same_v<Label, Unlabelled>;

  // Of a whole ranking in which every document is judged, it leaves everything as it is.
  static RankingOptions without_judged_only(RankingOptions options) {
    options.judged_only = false;
    return options;
  }

  void drop_below_deepest() {
    if (static_cast<std::int64_t>(scores_.size()) <= options_.deepest) return;
    scratch_.assign(scores_.begin(), scores_.end());
    const double least = place_last_kept(scratch_, static_cast<std::size_t>(options_.deepest));
    std::size_t kept = 0;
    for (std::size_t at = 0; at < scores_.size(); ++at) {
      rows_[kept] = rows_[at];
      scores_[kept] = scores_[at];
      kept += scores_[at] >= least ? 1 : 0;
    }
    rows_.resize(kept);
    scores_.resize(kept);
  }

  std::string_view text(std::size_t row) const {
    return written_.text(row, size_, [&](std::size_t i) {
      return positions_.ids.empty() ? static_cast<std::int32_t>(i)
                                    : positions_.ids[static_cast<std::size_t>(first_) + i];
    });
  }

  const Positions<Label>& positions_;
  RankingOptions options_;
  Ranker cut_ranker_, whole_ranker_;
  TieCounter count_tied_;
  std::span<const Label> labels_;
  std::size_t size_ = 0;
  std::int64_t first_ = 0;
  std::vector<double> scratch_, scores_;
  std::vector<std::uint32_t> rows_;
  std::vector<Match> matches_;
  mutable WrittenNumbers written_;
};

// Sorts labels from high to low. Most labels are a few whole numbers: these are counted, since nobody could predict the
// branches of sorting them.
void sort_down(std::span<double> labels) {
  if (labels.empty()) return;
  constexpr std::size_t kMost = 64;
  double low = labels.front(), high = low;
  for (const double label : labels) {
    low = std::min(low, label);
    high = std::max(high, label);
  }
  bool counted = high - low < static_cast<double>(kMost) && low == std::floor(low);
  std::array<std::size_t, kMost> counts{};
  for (std::size_t i = 0; counted && i < labels.size(); ++i) {
    const auto above = static_cast<std::size_t>(labels[i] - low);
    ++counts[above];
    counted = low + static_cast<double>(above) == labels[i];
  }
  if (!counted) return std::sort(labels.begin(), labels.end(), std::greater<>());
  auto end = labels.begin();
  for (std::size_t above = kMost; above-- > 0;) {
    end = std::fill_n(end, counts[above], low + static_cast<double>(above));
  }
}

// Sorts the labels of one query after another; one for each thread.
template <class Label>
class LabelSorter {
 public:
  LabelSorter(std::span<const Label> labels, std::span<const std::int64_t> starts, double lowest, std::int64_t most)
      : labels_(labels), starts_(starts), lowest_(lowest), most_(most) {}

  // Appends the labels of a query that are to be kept.
  void append(std::uint32_t query, std::vector<double>& kept) {
    const std::int64_t first = starts_[query];
    const auto rows = static_cast<std::size_t>(starts_[query + std::size_t{1}] - first);
    const std::span<const Label> own = labels_.subspan(static_cast<std::size_t>(first), rows);
    check_no_nan(own, 0, first);
    prefetch_after(labels_, static_cast<std::size_t>(first) + rows);
    const std::size_t before = kept.size();
    if (static_cast<std::int64_t>(rows) <= most_) {
      append_high(own, kept);
      return sort_down(std::span(kept).subspan(before));
    }
    // Of labels that equal the last one kept there may be many: they are counted, not sorted.
    Label last = reached_by(own, most_, scratch_);
    scratch_.clear();
    each_beyond(own, last, std::greater<>(), [&](std::size_t i) { scratch_.push_back(own[i]); });
    if (static_cast<std::int64_t>(scratch_.size()) >= most_)
      last = place_last_kept(scratch_, static_cast<std::size_t>(most_));
    std::erase_if(scratch_, [last](Label one) { return !(one > last); });
    append_high(scratch_, kept);
    sort_down(std::span(kept).subspan(before));
    if (static_cast<double>(last) >= lowest_) {
      kept.resize(before + static_cast<std::size_t>(most_), static_cast<double>(last));
    }
  }

 private:
  // Appends those from the lowest on: each is written, and the next one over it if it is not kept.
  void append_high(std::span<const Label> given, std::vector<double>& kept) const {
    std::size_t end = kept.size();
    kept.resize(end + given.size());
    for (const Label one : given) {
      kept[end] = static_cast<double>(one);
      end += static_cast<double>(one) >= lowest_ ? 1 : 0;
    }
    kept.resize(end);
  }

  std::span<const Label> labels_;
  std::span<const std::int64_t> starts_;
  double lowest_;
  std::int64_t most_;
  std::vector<Label> scratch_;
};

struct RepeatedDocument {};

// Ranks one query after another, looking up the judged documents among the retrieved; one for each thread.
template <class Id>
class NumberRanker {
 public:
  NumberRanker(const NumberedJudgments& judgments, const NumberedRun<Id>& run, const RankingOptions& options)
      : judgments_(judgments), run_(run), ranker_(run.scores.empty() ? options.of_ranks() : options) {}

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
        const auto at = std::lower_bound(documents.begin(), documents.end(), id(row));
        if (at != documents.end() && *at == id(row))
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
    counts.self_matches = row_holding(run_.own.empty() ? std::int64_t{query} : run_.own[query]) < rows_ ? 1 : 0;
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

  std::int64_t id(std::size_t row) const noexcept { return static_cast<std::int64_t>(ids_[row]); }

  void index_ids(std::size_t questions) {
    if (ids_.empty()) return;
    hashes_.clear();
    for (std::size_t row = 0; row < rows_; ++row) hashes_.push_back(hash_id(id(row)));
    const auto id_of = [&](std::size_t row) { return id(row); };
    if (rows_by_id_.start(hashes_, questions, id_of) < rows_) throw RepeatedDocument();
  }

  std::size_t row_holding(std::int64_t document) {
    if (run_.ids.empty()) return std::min(static_cast<std::size_t>(document), rows_);
    if (ids_.empty()) return rows_;
    const auto id_of = [&](std::size_t row) { return id(row); };
    return rows_by_id_.find(document, hash_id(document), id_of);
  }

  std::span<const double> scores_of(std::size_t place) {
    return run_.scores.empty() ? places_.of(rows_) : ranker_.held(run_.scores.subspan(place, rows_));
  }

  std::string_view text(std::size_t row) const {
    return written_.text(row, rows_,
                         [&](std::size_t i) { return ids_.empty() ? static_cast<std::int64_t>(i) : id(i); });
  }

  const NumberedJudgments& judgments_;
  const NumberedRun<Id>& run_;
  Ranker ranker_;
  std::size_t rows_ = 0;
  std::span<const Id> ids_;
  std::vector<std::uint64_t> hashes_;
  RowsById rows_by_id_;
  PlaceScores places_;
  std::vector<Found> found_;
  std::vector<Match> matches_;
  mutable WrittenNumbers written_;
};

}  // namespace

template <class Id>
std::optional<AlignedColumns> align_numbered(const NumberedJudgments& judgments, const NumberedRun<Id>& run,
                                             const RankingOptions& ranking, int threads, const Poll& poll) {
  const auto queries = static_cast<std::uint32_t>(run.starts.size() - 1);
  try {
    return rank_queries(queries, queries, threads, poll, [&] {
      return [ranker = NumberRanker<Id>(judgments, run, ranking)](std::uint32_t query, std::vector<Hit>& hits) mutable {
        return ranker.rank(query, hits);
      };
    });
  } catch (const RepeatedDocument&) {
    return std::nullopt;
  }
}

template std::optional<AlignedColumns> align_numbered(const NumberedJudgments&, const NumberedRun<std::int64_t>&,
                                                      const RankingOptions&, int, const Poll&);
template std::optional<AlignedColumns> align_numbered(const NumberedJudgments&, const NumberedRun<std::uint32_t>&,
                                                      const RankingOptions&, int, const Poll&);

template <class Label>
AlignedColumns align_positions(const Positions<Label>& positions, const RankingOptions& ranking, int threads,
                               const Poll& poll) {
  const auto queries = static_cast<std::uint32_t>(positions.starts.size() - 1);
  return rank_queries(queries, queries, threads, poll, [&] {
    return [ranker = PositionRanker<Label>(positions, ranking)](std::uint32_t query, std::vector<Hit>& hits) mutable {
      return ranker.rank(query, hits);
    };
  });
}

template AlignedColumns align_positions(const Positions<double>&, const RankingOptions&, int, const Poll&);
template AlignedColumns align_positions(const Positions<std::int64_t>&, const RankingOptions&, int, const Poll&);
template AlignedColumns align_positions(const Positions<Unlabelled>&, const RankingOptions&, int, const Poll&);

template <class Label>
SortedLabels sort_labels(std::span<const Label> labels, std::span<const std::int64_t> starts, double lowest,
                         std::int64_t most, int threads, const Poll& poll) {
  constexpr std::size_t kFewLabels = 1 << 16;  // are sorted sooner than threads are started
  const std::size_t queries = starts.size() - 1;
  SortedLabels all;
  all.starts.reserve(starts.size());
  all.starts.push_back(0);
  if (labels.size() < kFewLabels) {
    all.labels.reserve(labels.size());
    LabelSorter<Label> sorter(labels, starts, lowest, most);
    for (std::uint32_t q = 0; q < queries; ++q) {
      sorter.append(q, all.labels);
      all.starts.push_back(static_cast<std::int64_t>(all.labels.size()));
    }
    return all;
  }
  std::vector<std::vector<double>> sorted(queries);
  share_out_queries(static_cast<std::uint32_t>(queries), threads, poll, [&] {
    return [&, sorter = LabelSorter<Label>(labels, starts, lowest, most)](std::uint32_t q) mutable {
      sorter.append(q, sorted[q]);
    };
  });
  for (const std::vector<double>& kept : sorted) {
    all.labels.insert(all.labels.end(), kept.begin(), kept.end());
    all.starts.push_back(static_cast<std::int64_t>(all.labels.size()));
  }
  return all;
}

template SortedLabels sort_labels(std::span<const double>, std::span<const std::int64_t>, double, std::int64_t, int,
                                  const Poll&);
template SortedLabels sort_labels(std::span<const std::int64_t>, std::span<const std::int64_t>, double, std::int64_t,
                                  int, const Poll&);

}  // namespace rankmark
