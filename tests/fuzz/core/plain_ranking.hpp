// Runs ranked in the plainest way, from what docs/reference/conventions.md promises: sorted as a whole, and sharing no
// code with the core but its options.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "columns.hpp"
#include "input.hpp"
#include "judgments.hpp"
#include "ranking.hpp"

namespace fuzz {

struct PlainDocument {
  std::string id;
  double score = 0;  // the greatest is the best
};

// A run, or judgments (then scores are labels): each query's documents in their order, queries in order of appearance.
struct PlainQueries {
  std::vector<std::string> ids;
  std::map<std::string, std::vector<PlainDocument>> documents;

  void add(const std::string& query, const std::string& document, double score) {
    if (!documents.contains(query)) ids.push_back(query);
    documents[query].push_back({document, score});
  }

  bool has_duplicates() const {
    return std::any_of(documents.begin(), documents.end(), [](const auto& query) {
      std::map<std::string, int> seen;
      return std::any_of(query.second.begin(), query.second.end(),
                         [&](const PlainDocument& document) { return seen[document.id]++ > 0; });
    });
  }

  rankmark::Judgments judgments() const {
    rankmark::JudgmentsBuilder builder;
    for (const std::string& query : ids) {
      const std::uint32_t number = builder.query(query);
      for (const auto& [id, label] : documents.at(query)) builder.add(number, id, rankmark::hash_id(id), label);
    }
    return std::move(builder).finish();
  }
};

struct PlainRanked {
  rankmark::QueryCounts counts;
  std::vector<rankmark::Hit> hits;
};

inline bool comes_before(const PlainDocument& a, const PlainDocument& b, rankmark::Ties ties) {
  if (a.score != b.score) return a.score > b.score;
  if (ties == rankmark::Ties::docid) return a.id > b.id;
  return ties == rankmark::Ties::docid_asc && a.id < b.id;
}

// One judged query whose documents stand in it once, or as `duplicates` allows.
inline PlainRanked rank_plainly(const std::string& query, std::vector<PlainDocument> run,
                                const std::vector<PlainDocument>& judged, const std::vector<PlainDocument>& seen,
                                const rankmark::RankingOptions& options) {
  PlainRanked ranked;
  for (PlainDocument& document : run) document.score = options.held(document.score);
  // One row of each document.
  std::vector<PlainDocument> rows;
  for (std::size_t i = 0; i < run.size(); ++i) {
    bool kept = true;
    for (std::size_t j = 0; j < run.size(); ++j) {
      if (i == j || run[i].id != run[j].id) continue;
      const bool better = options.duplicates == rankmark::Duplicates::best && run[j].score != run[i].score
                              ? run[j].score > run[i].score
                              : j < i;
      kept = kept && !better;
    }
    if (kept) rows.push_back(run[i]);
  }
  ranked.counts.duplicates = static_cast<std::int64_t>(run.size() - rows.size());
  // Those that are not there.
  std::vector<PlainDocument> there;
  for (const PlainDocument& row : rows) {
    const bool self = row.id == query;
    const bool was_seen = std::any_of(seen.begin(), seen.end(),
                                      [&](const PlainDocument& one) { return one.id == row.id && one.score != 0; });
    ranked.counts.self_matches += self ? 1 : 0;
    ranked.counts.seen += was_seen ? 1 : 0;
    if (!was_seen && !(self && options.drop_self)) there.push_back(row);
  }
  for (std::size_t i = 1; i < there.size() && ranked.counts.rises >= 0; ++i) {
    if (there[i].score < there[i - 1].score)
      ranked.counts.rises = -1;
    else if (there[i].score > there[i - 1].score)
      ++ranked.counts.rises;
  }
  std::stable_sort(there.begin(), there.end(),
                   [&](const auto& a, const auto& b) { return comes_before(a, b, options.ties); });
  std::vector<rankmark::Hit> all;
  for (std::size_t place = 0; place < there.size(); ++place) {
    const auto label =
        std::find_if(judged.begin(), judged.end(), [&](const auto& one) { return one.id == there[place].id; });
    if (label == judged.end()) continue;
    const auto same = [&](const PlainDocument& one) { return one.score == there[place].score; };
    const auto first = std::find_if(there.begin(), there.end(), same) - there.begin();
    const auto count = std::count_if(there.begin(), there.end(), same);
    all.push_back({label->score, static_cast<std::int32_t>(place + 1), static_cast<std::int32_t>(first + 1),
                   static_cast<std::int32_t>(first + count)});
    if (options.scored && label->score > 0 && there[place].score <= 0) ++ranked.counts.not_positive;
  }
  std::erase_if(all, [&](const rankmark::Hit& hit) { return hit.rank > options.depth; });
  const std::vector<rankmark::Hit> before = all;
  for (std::size_t i = 0; i < all.size() && options.judged_only; ++i) {
    const auto tied = [&](const rankmark::Hit& hit) { return hit.tie_first == before[i].tie_first; };
    const auto first = std::find_if(before.begin(), before.end(), tied) - before.begin();
    const auto count = std::count_if(before.begin(), before.end(), tied);
    all[i] = {all[i].label, static_cast<std::int32_t>(i + 1), static_cast<std::int32_t>(first + 1),
              static_cast<std::int32_t>(first + count)};
  }
  ranked.counts.judged = static_cast<std::int64_t>(all.size());
  ranked.counts.retrieved =
      options.judged_only ? ranked.counts.judged : std::min(static_cast<std::int64_t>(there.size()), options.depth);
  for (const rankmark::Hit& hit : all) {
    ranked.counts.tied += hit.tie_first != hit.tie_last ? 1 : 0;
    ranked.counts.judged_top += hit.rank <= 10 ? 1 : 0;
    if (hit.label >= options.lowest && hit.tie_first <= options.deepest) ranked.hits.push_back(hit);
  }
  return ranked;
}

// All that a run comes to, written as `tell` writes what the core makes of it.
inline std::string align_plainly(const PlainQueries& run, const PlainQueries& judged, const PlainQueries& seen,
                                 const rankmark::RankingOptions& options) {
  const auto of = [](const PlainQueries& queries, const std::string& id) {
    const auto found = queries.documents.find(id);
    return found == queries.documents.end() ? std::vector<PlainDocument>() : found->second;
  };
  Told told;
  for (const std::string& query : judged.ids) {
    const bool answered = run.documents.contains(query);
    const PlainRanked ranked =
        answered ? rank_plainly(query, of(run, query), of(judged, query), of(seen, query), options) : PlainRanked();
    const rankmark::QueryCounts& counts = ranked.counts;
    told << (answered ? 1 : 0);
    told.all(std::vector{counts.judged, counts.tied, counts.judged_top, counts.self_matches, counts.duplicates,
                         counts.seen, counts.retrieved, counts.not_positive, counts.rises, counts.units.units,
                         counts.units.whole, counts.units.negative, counts.units.documents});
    for (const rankmark::Hit& hit : ranked.hits) told << hit.rank << hit.label << hit.tie_first << hit.tie_last;
  }
  std::vector<std::string> others;
  for (const std::string& query : run.ids) {
    if (!judged.documents.contains(query)) others.push_back(query);
  }
  told << "others" << others.size();
  others.resize(std::min<std::size_t>(others.size(), 3));
  told.all(others);
  return std::move(told).text();
}

inline void tell(const rankmark::AlignedRun& run, Told& told) {
  const rankmark::AlignedColumns& columns = run.columns;
  const std::size_t queries = columns.starts.size() - 1;
  expect(columns.rank.size() == columns.label.size() &&
             columns.rank.size() == static_cast<std::size_t>(columns.starts.back()),
         "columns of other lengths");
  for (std::size_t q = 0; q < queries; ++q) {
    const auto count = [&](std::size_t row) { return columns.counts[row * queries + q]; };
    told << count(0);
    std::vector<std::int64_t> counts;
    for (std::size_t row = 1; row < rankmark::AlignedColumns::kCounts; ++row) counts.push_back(count(row));
    told.all(counts);
    for (auto row = static_cast<std::size_t>(columns.starts[q]); row < static_cast<std::size_t>(columns.starts[q + 1]);
         ++row) {
      const bool ties = !columns.tie_first.empty();
      told << columns.rank[row] << columns.label[row] << (ties ? columns.tie_first[row] : columns.rank[row])
           << (ties ? columns.tie_last[row] : columns.rank[row]);
    }
  }
  told << "others" << run.run_only;
  told.all(run.run_only_examples);
}

// Options of every kind, but those that are taken from elsewhere.
inline rankmark::RankingOptions ranking_options_of(Input& input) {
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kDepths[] = {kAll, kAll, kAll, 1, 2, 3, 10, 12};
  static constexpr double kLowest[] = {-std::numeric_limits<double>::infinity(), 0, 1, 2};
  rankmark::RankingOptions options;
  options.ties = static_cast<rankmark::Ties>(input.below(3));
  options.duplicates = static_cast<rankmark::Duplicates>(input.below(3));
  options.depth = kDepths[input.below(8)];
  options.deepest = kDepths[input.below(8)];
  options.lowest = kLowest[input.below(4)];
  const std::uint8_t flags = input.byte();
  options.judged_only = (flags & 1) != 0;
  options.drop_self = (flags & 2) != 0;
  options.single = (flags & 4) != 0;
  return options;
}

// Judgments of some of a run's documents and of others, the same for the same ids.
inline PlainQueries judged_of(const PlainQueries& run, std::uint32_t salt) {
  PlainQueries judged;
  for (const std::string& query : run.ids) {
    std::map<std::string, bool> known;
    for (const PlainDocument& document : run.documents.at(query)) {
      std::uint32_t chance = salt;
      for (const char c : query + '/' + document.id) chance = (chance ^ static_cast<unsigned char>(c)) * 16777619u;
      chance ^= chance >> 15;
      if (chance % 3 == 0 || known[document.id]) continue;
      known[document.id] = true;
      judged.add(query, document.id, static_cast<double>(chance / 3 % 5) - 1);
    }
    if (salt % 7 == 0) judged.add(query, "not retrieved", 1);
  }
  if (salt % 5 == 0) judged.add("not run", "1", 1);
  return judged;
}

}  // namespace fuzz
