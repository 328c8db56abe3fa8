// What measures see of a ranking, so that rankings that look the same to them are scored once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "columns.hpp"
#include "hashed_judgments.hpp"
#include "ids.hpp"
#include "poll.hpp"
#include "query.hpp"
#include "ranking.hpp"

namespace rankmark {

// The queries whose judgments look the same to measures, by what their ideal rankings are made of.
class AlikeQueries {
 public:
  // Every query looks different from all others.
  explicit AlikeQueries(std::uint32_t queries);
  // Those with the same labels, high to low, look the same: (queries + 1) offsets into the labels.
  AlikeQueries(std::span<const std::int64_t> starts, std::span<const double> labels);

  std::size_t size() const noexcept { return first_.size(); }
  // The first query that looks like this one.
  std::uint32_t first(std::uint32_t query) const noexcept { return first_[query]; }

 private:
  std::vector<std::uint32_t> first_;
};

// Rankings as they were given, one behind another: ids are text, and scores those of all ids or of none.
class GivenRankings {
 public:
  struct Ranking {
    std::string_view query_id;
    std::span<const std::string_view> ids;
    std::span<const double> scores;  // empty where ids are in order, best first
  };

  void clear() noexcept;
  std::size_t size() const noexcept { return rankings_.size(); }
  std::size_t bytes() const noexcept { return text_.size(); }  // of all ids

  // A ranking begins, and its documents follow; `scored` says whether they have scores.
  void start(std::string_view query_id, bool scored);
  void add(std::string_view id) { add_text(id); }
  void add(std::string_view id, double score) {
    add_text(id);
    scores_.push_back(score);
  }
  // Takes back the ranking that was started last.
  void take_back() noexcept;

  // Uses `ids` as memory.
  Ranking ranking(std::size_t number, std::vector<std::string_view>& ids) const;

 private:
  struct Place {
    std::size_t text, first_id, first_score;  // where its query's id begins, its documents' ids, and its scores
    bool scored;
  };

  void add_text(std::string_view text) {
    text_ += text;
    ends_.push_back(text_.size());
  }

  std::string text_;
  std::vector<std::size_t> ends_;  // of each id in the text, that of the query first
  std::vector<double> scores_;
  std::vector<Place> rankings_;
};

// Describes one ranking after another, keeping its scratch space; one for each thread.
class PatternFinder {
 public:
  PatternFinder(const HashedJudgments& judgments, const AlikeQueries& alike, const RankingOptions& options)
      : judgments_(judgments),
        alike_(alike),
        by_score_(judgments.judgments(), options, &judgments),
        by_place_(judgments.judgments(), options.of_ranks(), &judgments) {}

  // A query that looks like that of the ranking, and what was retrieved; the hits are those until the next call.
  struct Found {
    std::uint32_t query;
    QueryCounts counts;
    std::span<const Hit> hits;
  };

  // Ranks a ranking; nothing where its query is not judged.
  std::optional<Found> find(const GivenRankings::Ranking& ranking);

  // Appends the pattern of a ranking, and says whether its query is judged; nothing is appended if not.
  bool append(const GivenRankings::Ranking& ranking, std::string& pattern);

 private:
  const HashedJudgments& judgments_;
  const AlikeQueries& alike_;
  QueryRanker by_score_, by_place_;
  PlaceScores places_;
  std::vector<Hit> hits_;
};

// A pattern, read again: a query that looks like that of the ranking, and what was retrieved.
struct Pattern {
  std::uint32_t query = 0;
  QueryCounts counts;  // only the number of documents retrieved
  std::vector<Hit> hits;

  // Returns false for bytes that are no pattern.
  bool read(std::string_view bytes);
};

// The distinct patterns of many rankings.
class DistinctPatterns {
 public:
  static constexpr std::int32_t kUnjudged = -1;

  // Numbers the patterns of some rankings, which are shared out among threads, behind those of others.
  void add(const GivenRankings& rankings, const HashedJudgments& judgments, const AlikeQueries& alike,
           const RankingOptions& options, int threads, const Poll& poll);

  // The number of each ranking's pattern, or kUnjudged.
  std::vector<std::int32_t>& numbers() noexcept { return numbers_; }
  const IdTable& patterns() const noexcept { return patterns_; }

 private:
  IdTable patterns_;
  std::vector<std::int32_t> numbers_;
};

}  // namespace rankmark
