// One query's documents ranked, with ids of each kind, against sorting them all; and two rankings brought together.
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "fault.hpp"
#include "plain_ranking.hpp"
#include "query.hpp"
#include "rankings.hpp"

using fuzz::expect;
using fuzz::Told;

namespace {

constexpr const char* kQuery = "12";

// From a few ids, so that they meet: whole numbers, some of them text that is no number as it would be written.
std::string id_of(fuzz::Input& input, bool numbers) {
  const std::uint8_t chosen = input.byte();
  if (numbers) return std::to_string(static_cast<std::int64_t>(chosen % 64) * (chosen < 128 ? 1 : -1'000'000'007));
  static constexpr const char* kBegins[] = {"",         "0", "+", "d", "a long id that many others begin like ",
                                            "\xc3\xa9", "-", " "};
  return kBegins[chosen / 32] + std::to_string(chosen % 32);
}

double score_of(fuzz::Input& input) {
  const std::uint8_t chosen = input.byte();
  if (chosen < 200) return static_cast<double>(chosen % 16) / 4 - 1;
  const auto any = input.number<double>();
  return std::isnan(any) ? -0.0 : any;
}

fuzz::PlainQueries documents_of(fuzz::Input& input, std::size_t most, bool numbers, bool labels) {
  fuzz::PlainQueries queries;
  const std::size_t count = input.byte() % 64 * (1 + input.byte() / 64);
  for (std::size_t i = 0; i < std::min(count, most) && input.left() > 0; ++i) {
    const std::string id = id_of(input, numbers);
    queries.add(kQuery, id, labels ? static_cast<double>(input.below(5)) - 1 : score_of(input));
  }
  return queries;
}

// Judgments name a document once.
fuzz::PlainQueries distinct(const fuzz::PlainQueries& queries) {
  fuzz::PlainQueries kept;
  std::map<std::string, bool> known;
  for (const std::string& query : queries.ids) {
    for (const auto& [id, label] : queries.documents.at(query)) {
      if (!std::exchange(known[id], true)) kept.add(query, id, label);
    }
  }
  return kept;
}

std::string told_of(const rankmark::QueryCounts& counts, const std::vector<rankmark::Hit>& hits) {
  Told told;
  told.all(std::vector{counts.judged, counts.tied, counts.judged_top, counts.self_matches, counts.duplicates,
                       counts.seen, counts.retrieved, counts.not_positive, counts.rises});
  for (const rankmark::Hit& hit : hits) told << hit.rank << hit.label << hit.tie_first << hit.tie_last;
  return std::move(told).text();
}

template <class Ids>
std::string ranked(rankmark::QueryRanker& ranker, const Ids& ids, const std::vector<double>& scores) {
  std::vector<rankmark::Hit> hits(1);  // what was there stays there
  try {
    const rankmark::QueryCounts counts = ranker.rank(0, kQuery, ids, scores, hits);
    hits.erase(hits.begin());
    return told_of(counts, hits);
  } catch (const rankmark::DuplicateFault& fault) {
    return "duplicate " + fault.document;
  }
}

void check_ranking(fuzz::Input& input, bool numbers) {
  rankmark::RankingOptions options = fuzz::ranking_options_of(input);
  const fuzz::PlainQueries run = documents_of(input, 500, numbers, false);
  fuzz::PlainQueries labels = distinct(documents_of(input, 60, numbers, true));
  const fuzz::PlainQueries seen = distinct(documents_of(input, 20, numbers, true));
  if (labels.ids.empty()) labels.add(kQuery, kQuery, 1);
  if (numbers) {  // ids that no number is written as
    for (const char* const id : {"01", "+1", "-0", "", "1 ", "18446744073709551616"}) labels.add(kQuery, id, 1);
  }
  const rankmark::Judgments judgments = labels.judgments(), documents_seen = seen.judgments();
  options.seen = &documents_seen;
  const std::vector<fuzz::PlainDocument> rows =
      run.ids.empty() ? std::vector<fuzz::PlainDocument>() : run.documents.at(kQuery);
  const std::vector<fuzz::PlainDocument> was_seen =
      seen.ids.empty() ? std::vector<fuzz::PlainDocument>() : seen.documents.at(kQuery);

  std::vector<std::string_view> texts;
  std::vector<std::int64_t> wholes;
  std::vector<double> scores;
  std::string text = "before";
  std::vector<rankmark::IdSpan> places;
  std::vector<std::uint64_t> hashes;
  for (const auto& [id, score] : rows) {
    texts.push_back(id);
    if (numbers) wholes.push_back(std::stoll(id));
    scores.push_back(score);
    places.emplace_back(text.size(), id.size());
    hashes.push_back(rankmark::hash_id(id));
    text += id;
  }
  rankmark::QueryRanker ranker(judgments, options);
  std::vector<std::string> found{ranked(ranker, std::span<const std::string_view>(texts), scores),
                                 ranked(ranker, rankmark::TextIds{text.data(), places, hashes}, scores)};
  if (numbers) found.push_back(ranked(ranker, std::span<const std::int64_t>(wholes), scores));
  found.push_back(ranked(ranker, std::span<const std::string_view>(texts), scores));  // with scratch space in use

  std::string expected;
  const bool refused = options.duplicates == rankmark::Duplicates::error && run.has_duplicates();
  if (!refused) {
    const fuzz::PlainRanked plain = fuzz::rank_plainly(kQuery, rows, labels.documents.at(kQuery), was_seen, options);
    expected = told_of(plain.counts, plain.hits);
  }
  for (const std::string& one : found) {
    if (refused) {
      expect(one == found[0] && one.starts_with("duplicate "), "a document that stands twice is not refused");
    } else {
      fuzz::expect_same(expected, one, "a plain sort ranks otherwise");
    }
  }
}

// Two lists of the same query, item by item.
void check_pairs(fuzz::Input& input) {
  const std::uint8_t how = input.byte();
  rankmark::ListOptions options;
  if (how % 4 > 0) options.broken = static_cast<rankmark::Ties>(how % 4 - 1);
  if (how >= 128) options.deepest = 1 + how % 8;
  const auto rankings_of = [&](const fuzz::PlainQueries& run) {
    std::vector<std::string_view> ids;
    std::vector<std::uint32_t> queries, documents;
    std::vector<double> scores;
    const std::vector<std::string_view> names{kQuery};
    if (!run.ids.empty()) {
      for (const auto& [id, score] : run.documents.at(kQuery)) {
        queries.push_back(0);
        documents.push_back(static_cast<std::uint32_t>(ids.size()));
        ids.push_back(id);
        scores.push_back(score);
      }
    }
    return rankmark::rank_rows({queries, names, documents, ids, scores}, options, {});
  };
  const fuzz::PlainQueries a = distinct(documents_of(input, 200, false, false)),
                           b = distinct(documents_of(input, 200, false, false));
  const rankmark::Rankings ranked_a = rankings_of(a), ranked_b = rankings_of(b);
  const std::vector<std::int64_t> queries_a{0, -1, 0}, queries_b{0, 0, -1};
  for (const int threads : {1, how % 64 == 0 ? 3 : 1}) {
    const rankmark::Paired pairs = rankmark::paired(ranked_a, ranked_b, queries_a, queries_b, threads, {});
    const auto &list_a = ranked_a.list(0), &list_b = ranked_b.list(0);
    expect(pairs.at.size() == 2 * list_a.count && pairs.first_b.size() == 2 * list_b.count, "pairs of other lengths");
    for (std::size_t row = 0; row < list_a.count; ++row) {
      std::int64_t there = -1;
      for (std::size_t other = 0; other < list_b.count; ++other) {
        if (list_b.id(other) == list_a.id(row)) there = static_cast<std::int64_t>(other);
      }
      expect(pairs.at[row] == there && pairs.at[list_a.count + row] == -1, "a document is found in another place");
      expect(pairs.first_a[row] == list_a[row].tie_first && pairs.last_a[row] == list_a[row].tie_last, "other ties");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t what = input.below(3);
  if (what == 2) {
    check_pairs(input);
  } else {
    check_ranking(input, what == 1);
  }
  return 0;
}
