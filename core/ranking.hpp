// Where the judged documents of one query came out: rank by counting, and what ties.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "judgments.hpp"
#include "units.hpp"

namespace rankmark {

// Which of two documents with equal scores comes first.
enum class Ties { docid, docid_asc, input };

// What becomes of a document that stands in a ranking more than once: it is refused, or the first row
// counts, or the one with the greatest score, the first of these.
enum class Duplicates { error, first, best };

struct RankingOptions {
  Ties ties = Ties::docid;
  std::int64_t depth = std::numeric_limits<std::int64_t>::max();  // ranks beyond it are not there
  bool judged_only = false;                                       // then, rank among judged documents alone
  double lowest = -std::numeric_limits<double>::infinity();       // hits with lower labels are not kept
  // Nor are hits whose ties begin at higher ranks; ties across it stay, since another order would swap them.
  std::int64_t deepest = std::numeric_limits<std::int64_t>::max();
  bool drop_self = false;  // a document whose id is its query's is not there
  Duplicates duplicates = Duplicates::error;
  bool single = false;              // scores are floats, as trec_eval 9 and what is built on it hold them
  const Judgments* seen = nullptr;  // documents of each query, labelled other than 0, that are not there
  // In bytes, for the rows of interleaved queries.
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
  bool scored = true;  // scores were given; otherwise they stand for ranks, or places in an order
  UnitOptions units = {};

  double held(double score) const noexcept {
    static_assert(std::numeric_limits<float>::is_iec559, "what no float can hold must become infinite");
    return single ? static_cast<double>(static_cast<float>(score)) : score;
  }
  RankingOptions without(const Judgments& documents) const {
    RankingOptions fewer = *this;
    fewer.seen = &documents;
    return fewer;
  }
  RankingOptions of_units_in(const Parents& documents) const {
    RankingOptions mapped = *this;
    mapped.units.parents = &documents;
    return mapped;
  }
  // Ranks and places in an order are exact, whatever becomes of scores.
  RankingOptions of_ranks() const {
    RankingOptions exact = *this;
    exact.single = false;
    exact.scored = false;
    return exact;
  }
};

// A judged document found in a ranking. `row` counts the query's documents as they were given.
struct Match {
  static constexpr std::uint32_t kUnknownRow = 0xffffffff;

  double score;
  std::uint32_t judged;  // row in Judgments
  std::uint32_t row;     // kUnknownRow where finding it costs; it is looked for when a tie asks
};

// A match with its place. Ranks are 1-based; tie_first and tie_last span the documents of its score.
struct Hit {
  double label;
  std::int32_t rank, tie_first, tie_last;
};

// What the audit counts of one query, over all its judged documents.
struct QueryCounts {
  std::int64_t retrieved = 0;     // after depth and judged_only
  std::int64_t judged = 0;        // judged documents among them
  std::int64_t tied = 0;          // of these, those that share their score with another document
  std::int64_t judged_top = 0;    // judged documents in the first kTop
  std::int64_t self_matches = 0;  // documents retrieved whose id is the query's, dropped or not
  std::int64_t duplicates = 0;    // rows left out, since their document stood in another one
  std::int64_t seen = 0;          // documents left out, since they were seen before
  std::int64_t not_positive = 0;  // matches with a label above 0 and a score of 0 or below, whatever their ranks
  std::int64_t rises = 0;         // rises of the scores in the order given; -1 where they ever fall
  UnitCounts units = {};          // of those that were retrieved in place of documents
};

inline constexpr std::int32_t kTop = 10;

// How often scores rise from one document to the next; -1 where they ever fall, which ends the search.
std::int64_t rises_of(std::span<const double> scores) noexcept;

// Scores of documents that have none and come best first.
class PlaceScores {
 public:
  std::span<const double> of(std::size_t documents) {
    for (std::size_t place = scores_.size(); place < documents; ++place) scores_.push_back(-static_cast<double>(place));
    return std::span<const double>(scores_).first(documents);
  }

 private:
  std::vector<double> scores_;  // minus the places
};

// Throws LimitFault for more documents of one query than there are ranks.
void check_rankable(std::size_t documents);

// The scores of one query, asked how many are greater than a score and which equal it. Scores in
// order are searched; others are counted, or sorted where many questions will be asked.
class ScoreOrder {
 public:
  void start(std::span<const double> scores, std::size_t questions);

  struct Place {
    std::size_t greater, equal;
  };
  Place place(double score) const noexcept;

  // The rows that hold a score, rising, for a place that was asked for.
  void rows_at(double score, Place place, std::vector<std::uint32_t>& rows) const;

 private:
  struct Row {
    double score;
    std::uint32_t row;
  };

  std::span<const double> scores_;
  std::vector<Row> sorted_;  // score down, row up; empty where it is not needed
  bool in_order_ = false;    // as given, the scores never rise
};

// Ranks one query after another, keeping its scratch space.
class Ranker {
 public:
  explicit Ranker(const RankingOptions& options) : options_(options) {}

  // Scores as precise as they are compared: as they are given, or in memory of the ranker's own.
  std::span<const double> held(std::span<const double> scores);

  // Appends the query's hits in rank order. `id(row)` gives the id of a retrieved document; it is
  // asked only where a judged document ties. `judged` gives the label and the document_id of what
  // matches call judged. Both give ids that stay where they are for as long as this takes. Reorders `matches`.
  template <class IdOf, class Judged>
  QueryCounts rank(std::span<const double> scores, std::vector<Match>& matches, const IdOf& id, const Judged& judged,
                   std::vector<Hit>& hits);

 private:
  struct Placed {
    std::size_t position;  // among the tied documents, from 0
    std::uint32_t judged;
  };

  // Fills `ranked_`.
  template <class IdOf, class Judged>
  void place(std::span<const double> scores, std::span<const Match> matches, const IdOf& id, const Judged& judged);
  // Fills `placed_` with the places of a group of matches among all documents of their score.
  template <class IdOf, class Judged>
  void place_among_tied(std::span<const Match> group, ScoreOrder::Place place, const IdOf& id, const Judged& judged);
  // The same by what the group's rows are, and by the ids of the tied documents and of the group's.
  void place_by_row(std::span<const Match> group);
  void place_by_id(std::span<const Match> group);
  void sort_placed();
  // Applies depth, then judged_only (as trec_eval -M and -J), and appends what is left.
  QueryCounts keep(std::size_t retrieved, std::vector<Hit>& hits);
  // Places and keeps, at once, where all documents are judged and none tie.
  template <class Judged>
  QueryCounts keep_untied(std::span<const Match> matches, const Judged& judged, std::vector<Hit>& hits) const;
  void condense();

  RankingOptions options_;
  std::vector<double> held_;
  ScoreOrder order_;
  std::vector<std::uint32_t> tied_, by_id_;           // rows, rising; their places, by id
  std::vector<std::string_view> tied_ids_, own_ids_;  // of the tied documents and of the group's
  std::vector<Placed> placed_;
  std::vector<Hit> ranked_;  // every judged document of the query
};

template <class IdOf, class Judged>
QueryCounts Ranker::rank(std::span<const double> scores, std::vector<Match>& matches, const IdOf& id,
                         const Judged& judged, std::vector<Hit>& hits) {
  check_rankable(scores.size());
  const auto higher = [](const Match& a, const Match& b) { return a.score > b.score; };
  const auto fall = [&] {  // one after another
    const auto does_not = [&](const Match& a, const Match& b) { return !higher(a, b); };
    return std::adjacent_find(matches.begin(), matches.end(), does_not) == matches.end();
  };
  bool untied = fall();
  if (!untied && !std::is_sorted(matches.begin(), matches.end(), higher)) {
    std::sort(matches.begin(), matches.end(), higher);
    untied = fall();
  }
  std::int64_t not_positive = 0;
  for (auto match = matches.rbegin(); options_.scored && match != matches.rend() && !(match->score > 0); ++match) {
    not_positive += judged.label(match->judged) > 0 ? 1 : 0;
  }
  QueryCounts counts;
  if (untied && matches.size() == scores.size()) {
    counts = keep_untied(matches, judged, hits);
  } else {
    place(scores, matches, id, judged);
    counts = keep(scores.size(), hits);
  }
  counts.not_positive = not_positive;
  counts.rises = rises_of(scores);
  return counts;
}

template <class IdOf, class Judged>
void Ranker::place(std::span<const double> scores, std::span<const Match> matches, const IdOf& id,
                   const Judged& judged) {
  ranked_.clear();
  if (matches.empty()) return;
  // Where all documents are judged, their own order tells the places, and rows are wanted only by ties.
  const bool all_judged = matches.size() == scores.size();
  bool started = !all_judged;
  if (started) order_.start(scores, matches.size());
  for (std::size_t first = 0, last; first < matches.size(); first = last) {
    last = first + 1;
    while (last < matches.size() && matches[last].score == matches[first].score) ++last;
    if (!started && last - first > 1) {
      order_.start(scores, matches.size());
      started = true;
    }
    const ScoreOrder::Place place =
        all_judged ? ScoreOrder::Place{first, last - first} : order_.place(matches[first].score);
    if (place.equal == 1) {
      const auto rank = static_cast<std::int32_t>(place.greater + 1);
      ranked_.push_back({judged.label(matches[first].judged), rank, rank, rank});
      continue;
    }
    placed_.clear();
    place_among_tied(matches.subspan(first, last - first), place, id, judged);
    for (const Placed& one : placed_) {
      ranked_.push_back({judged.label(one.judged), static_cast<std::int32_t>(place.greater + one.position + 1),
                         static_cast<std::int32_t>(place.greater + 1),
                         static_cast<std::int32_t>(place.greater + place.equal)});
    }
  }
}

template <class Judged>
QueryCounts Ranker::keep_untied(std::span<const Match> matches, const Judged& judged, std::vector<Hit>& hits) const {
  QueryCounts counts;
  counts.retrieved = counts.judged = std::min(static_cast<std::int64_t>(matches.size()), options_.depth);
  counts.judged_top = std::min<std::int64_t>(counts.judged, kTop);
  const auto last = static_cast<std::int32_t>(std::min(counts.judged, options_.deepest));
  std::size_t kept = hits.size();  // as in `keep`
  hits.resize(kept + static_cast<std::size_t>(last));
  for (std::int32_t rank = 1; rank <= last; ++rank) {
    const double label = judged.label(matches[static_cast<std::size_t>(rank - 1)].judged);
    hits[kept] = {label, rank, rank, rank};
    kept += label >= options_.lowest ? 1 : 0;
  }
  hits.resize(kept);
  return counts;
}

template <class IdOf, class Judged>
void Ranker::place_among_tied(std::span<const Match> group, ScoreOrder::Place place, const IdOf& id,
                              const Judged& judged) {
  order_.rows_at(group.front().score, place, tied_);
  if (options_.ties == Ties::input && group.front().row != Match::kUnknownRow) {
    place_by_row(group);
  } else {
    tied_ids_.clear();
    for (const std::uint32_t row : tied_) tied_ids_.push_back(id(row));
    own_ids_.clear();
    for (const Match& match : group) own_ids_.push_back(judged.document_id(match.judged));
    place_by_id(group);
  }
}

}  // namespace rankmark
