// One query's documents as they were retrieved, all of them at hand: matched and ranked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hashed_judgments.hpp"
#include "judgments.hpp"
#include "ranking.hpp"
#include "rows_by_id.hpp"
#include "units.hpp"
#include "written_numbers.hpp"

namespace rankmark {

// Ids as they stand in a text, with their hashes, or none where nobody needs them.
struct TextIds {
  const char* text;
  std::span<const IdSpan> places;
  std::span<const std::uint64_t> hashes;

  std::size_t size() const noexcept { return places.size(); }
  std::string_view operator[](std::size_t row) const noexcept { return places[row].in(text); }
};

// Ranks one query after another, keeping its scratch space; one for each thread.
class QueryRanker {
 public:
  // With hashed judgments, the documents retrieved are looked up among those judged, and have to be text.
  QueryRanker(const Judgments& judgments, const RankingOptions& options, const HashedJudgments* hashed = nullptr)
      : judgments_(judgments), hashed_(hashed), options_(options), ranker_(options), units_(options.units) {}

  // `query` is its number in the judgments, or kUnjudged: then only the documents are looked through.
  // Ids are text, or whole numbers that stand for their digits. Appends the hits. Throws DuplicateFault
  // where a document stands twice and should not.
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const std::string_view> ids,
                   std::span<const double> scores, std::vector<Hit>& hits);
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const std::int64_t> ids,
                   std::span<const double> scores, std::vector<Hit>& hits);
  QueryCounts rank(std::uint32_t query, std::string_view query_id, const TextIds& ids, std::span<const double> scores,
                   std::vector<Hit>& hits);

 private:
  // `hashes` are those of the ids.
  template <class Ids>
  QueryCounts rank_ids(std::uint32_t query, std::string_view query_id, Ids ids, std::span<const std::uint64_t> hashes,
                       std::span<const double> scores, std::vector<Hit>& hits);
  // Throws DuplicateFault for ids that stand twice and should not. Returns the first row of one that stands twice, or
  // the number of rows.
  template <class Ids>
  std::size_t find_repeated(std::string_view query_id, const Ids& ids, std::span<const std::uint64_t> hashes,
                            std::size_t questions);
  // Brings the units of each document together, and ranks documents. Hashes may be missing.
  template <class Ids>
  QueryCounts rank_units(std::uint32_t query, std::string_view query_id, Ids ids, std::span<const std::uint64_t> hashes,
                         std::span<const double> scores, std::vector<Hit>& hits);
  template <class Ids>
  bool group_units(const Ids& ids, std::span<const double> scores);
  template <class Ids>
  void hash(const Ids& ids);
  // Of ids that all differ, with their hashes unless they stand for units; `find` gives the row of a document, or the
  // number of rows.
  template <class Ids, class Find>
  QueryCounts rank_documents(std::uint32_t query, std::string_view query_id, Ids ids,
                             std::span<const std::uint64_t> hashes, std::span<const double> scores, const Find& find,
                             std::vector<Hit>& hits);
  // Leaves one row of each document, with its hash.
  template <class Ids>
  void leave_out_duplicates(Ids& ids, std::span<const std::uint64_t>& hashes, std::span<const double>& scores);
  // Notes the rows that are not to be there, and says how many of them were seen before; `find` gives the row of a
  // document, or the number of rows.
  template <class Find>
  std::int64_t drop(std::string_view query_id, std::size_t own, std::size_t rows, const Find& find);
  // Finds the judged documents among the rows that are not dropped.
  template <class Find>
  void match(std::uint32_t query, std::span<const double> scores, const Find& find);
  // The same for hashed judgments.
  template <class Ids>
  void look_up(std::uint32_t query, const Ids& ids, std::span<const std::uint64_t> hashes,
               std::span<const double> scores);
  template <class Ids>
  void keep_others(Ids& ids, std::span<const double>& scores);
  // Calls `use` with each document that the query has seen.
  template <class Use>
  void each_seen(std::string_view query_id, const Use& use) const;
  // Leaves out all rows but those of `kept_`, which rise.
  template <class Ids>
  void keep(Ids& ids, std::span<const double>& scores);

  const Judgments& judgments_;
  const HashedJudgments* hashed_;
  RankingOptions options_;
  Ranker ranker_;
  UnitMapper units_;
  std::vector<std::uint64_t> hashes_;  // those that were not given
  std::vector<std::string> texts_;     // of whole numbers
  RowsById rows_by_id_;
  HashSlots slots_;  // of leave_out_duplicates
  std::vector<Match> matches_;
  WrittenNumbers written_;
  std::vector<std::uint32_t> kept_;
  std::vector<std::size_t> dropped_;  // rows that are not there, rising
  // What ids and scores become where they do not stay as they were given.
  std::tuple<std::vector<std::string_view>, std::vector<std::int64_t>, std::vector<IdSpan>> own_ids_;
  std::vector<double> own_scores_;
};

}  // namespace rankmark
