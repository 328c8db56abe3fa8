// Rankings given as Python's lists and dicts, and the patterns that measures see of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "convert.hpp"
#include "hashed_judgments.hpp"
#include "ranking_patterns.hpp"
#include "term_tables.hpp"

namespace rankmark {

// Finds the patterns of rankings; the judgments are hashed once.
class RankingPatterns {
 public:
  RankingPatterns(const Judgments& judgments, const RankingOptions& options, AlikeQueries alike)
      : judgments_(judgments),
        alike_(std::move(alike)),
        options_(options),
        most_(looked_at(options)),
        finder_(judgments_, alike_, options_) {}

  // The pattern of a ranking: a list or tuple of ids, best first, or of pairs (id, score); or a dict {id: score}. It is
  // empty where the query is not judged, and None where there is anything but text and plain numbers.
  nb::object find(nb::handle query, nb::handle ranking);

  // The same of a dict {id: score} that is not empty, where ids are text; None for all else.
  nb::object find_scores(nb::handle query, nb::handle scores);

  // Tables of terms, by which `values` adds up measures: for labels that rise and ranks from 1, a lowest relevant
  // label (NaN where the rows are labels) and the rows, one behind another, of each measure.
  void tabulate(const Input<double>& labels, std::size_t ranks, const nb::list& tables);

  // Tells the divisors of each measure, for all rankings of a pattern's query with as many documents.
  void learn_divisors(const nb::bytes& pattern, const Input<double>& divisors);

  // The values of a ranking, a tuple; None where `find` or `find_scores` finds no pattern, there is a hit without a
  // term, or the divisors were not learned.
  nb::object values(nb::handle query, nb::handle ranking);
  nb::object values_of_scores(nb::handle query, nb::handle scores);

  // What a pattern says: a query with the same judgments as measures see them, then the columns of an alignment.
  nb::tuple columns(const nb::bytes& pattern) const;

  // The distinct patterns of rankings: the number of each ranking's pattern, -1 where the query is not judged and -2
  // where `find` gives None; and the columns of all patterns.
  nb::tuple find_all(const nb::list& queries, const nb::list& rankings, int threads) const;

 private:
  // How many documents that come first, and those that tie with the last, decide the hits.
  static std::size_t looked_at(const RankingOptions& options) noexcept;
  nb::object found();
  nb::object added_up();

  HashedJudgments judgments_;
  AlikeQueries alike_;
  RankingOptions options_;
  std::size_t most_;
  nb::ft_mutex mutex_;  // of what follows: the ranking that is looked at
  PatternFinder finder_;
  GivenRankings given_;
  std::vector<std::string_view> ids_;
  std::string pattern_;
  std::optional<TermTables> tables_;
  KnownDivisors divisors_;
};

// `ideal_starts` and `ideal_label` are the labels by which queries look alike; without them, none do.
std::unique_ptr<RankingPatterns> ranking_patterns(const Judgments& judgments, const RankingOptions& ranking,
                                                  const std::optional<Input<std::int64_t>>& ideal_starts,
                                                  const std::optional<Input<double>>& ideal_label);

}  // namespace rankmark
