// Matching the documents of one query by hash, then ranking those that are judged.
#include "query.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>

#include "fault.hpp"

namespace rankmark {
namespace {

bool read_id(std::string_view text, std::string_view& id) noexcept {
  id = text;
  return true;
}

// Only digits as they are written out are the same id: `01` and `+1` are others than 1.
bool read_id(std::string_view text, std::int64_t& id) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
  return digits.front() != '0' || text.size() == 1;
}

std::string text_of(std::string_view id) { return std::string(id); }
std::string text_of(std::int64_t id) { return std::to_string(id); }

}  // namespace

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::string_view> ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  if (options_.units.any()) return rank_units(query, query_id, ids, {}, scores, hits);
  hash(ids);
  return rank_ids(query, query_id, ids, hashes_, scores, hits);
}

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::int64_t> ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  if (options_.units.any()) return rank_units(query, query_id, ids, {}, scores, hits);
  hash(ids);
  return rank_ids(query, query_id, ids, hashes_, scores, hits);
}

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, const TextIds& ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  if (options_.units.any()) return rank_units(query, query_id, ids, ids.hashes, scores, hits);
  return rank_ids(query, query_id, ids, ids.hashes, scores, hits);
}

template <class Ids>
void QueryRanker::hash(const Ids& ids) {
  hashes_.resize(ids.size());
  for (std::size_t row = 0; row < ids.size(); ++row) hashes_[row] = hash_id(ids[row]);
}

template <class Ids>
std::size_t QueryRanker::find_repeated(std::string_view query_id, const Ids& ids, std::span<const std::uint64_t> hashes,
                                       std::size_t questions) {
  const std::size_t repeated = rows_by_id_.start(hashes, questions, [&ids](std::size_t row) { return ids[row]; });
  if (repeated < ids.size() && options_.duplicates == Duplicates::error) {
    throw DuplicateFault(std::string(query_id), text_of(ids[repeated]));
  }
  return repeated;
}

template <class Ids>
QueryCounts QueryRanker::rank_ids(std::uint32_t query, std::string_view query_id, Ids ids,
                                  std::span<const std::uint64_t> hashes, std::span<const double> scores,
                                  std::vector<Hit>& hits) {
  const std::size_t given = ids.size();
  // How many documents will be asked for.
  const std::size_t judged = query == Judgments::kUnjudged ? 0 : hashed_ != nullptr ? 1 : judgments_.documents(query);
  const std::size_t repeated = find_repeated(query_id, ids, hashes, judged);
  if (query == Judgments::kUnjudged) return {};
  scores = ranker_.held(scores);
  const auto id_of = [&ids](std::size_t row) { return ids[row]; };
  if (repeated < given) {
    leave_out_duplicates(ids, hashes, scores);
    rows_by_id_.start(hashes, judged, id_of);
  }
  using Id = std::remove_cvref_t<decltype(ids[0])>;
  const auto find = [&](std::string_view text) {
    Id id;
    return read_id(text, id) ? rows_by_id_.find(id, hash_id(id), id_of) : ids.size();
  };
  QueryCounts counts = rank_documents(query, query_id, ids, hashes, scores, find, hits);
  counts.duplicates = static_cast<std::int64_t>(given - ids.size());
  return counts;
}

template <class Ids>
QueryCounts QueryRanker::rank_units(std::uint32_t query, std::string_view query_id, Ids ids,
                                    std::span<const std::uint64_t> hashes, std::span<const double> scores,
                                    std::vector<Hit>& hits) {
  const std::size_t given = ids.size();
  const bool unjudged = query == Judgments::kUnjudged;
  if (!unjudged) scores = ranker_.held(scores);
  if (unjudged || !options_.units.tell_repeats() || !group_units(ids, scores)) {
    if (hashes.empty()) {
      hash(ids);
      hashes = hashes_;
    }
    const std::size_t repeated = find_repeated(query_id, ids, hashes, 0);
    if (unjudged) return {};
    if (repeated < given) leave_out_duplicates(ids, hashes, scores);
    group_units(ids, scores);
  }
  const bool adds_up = options_.units.combine == Combine::sum || options_.units.combine == Combine::mean;
  if (adds_up && !options_.scored && ids.size() > 0) {
    throw LimitFault({"units are ordered by rank and have no scores, so there is no sum or mean",
                      "combine them by best, first, count or rrf"});
  }
  const UnitCounts units = units_.combine(scores);
  const auto find = [this](std::string_view text) { return units_.find(text, hash_id(text)); };
  QueryCounts counts = rank_documents(query, query_id, units_.documents(), {}, units_.scores(), find, hits);
  counts.units = units;
  counts.rises = rises_of(scores);
  counts.duplicates = static_cast<std::int64_t>(given - ids.size());
  if (!options_.units.keeps_scores()) counts.not_positive = 0;
  return counts;
}

template <class Ids>
bool QueryRanker::group_units(const Ids& ids, std::span<const double> scores) {
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(ids[0])>, std::string_view>) {
    return units_.group(ids, scores);
  } else {
    texts_.clear();
    for (const std::int64_t id : ids) texts_.push_back(text_of(id));
    return units_.group(texts_, scores);
  }
}

template <class Ids, class Find>
QueryCounts QueryRanker::rank_documents(std::uint32_t query, std::string_view query_id, Ids ids,
                                        std::span<const std::uint64_t> hashes, std::span<const double> scores,
                                        const Find& find, std::vector<Hit>& hits) {
  using Id = std::remove_cvref_t<decltype(ids[0])>;
  const auto id_of = [&ids](std::size_t row) { return ids[row]; };
  // The judged documents are looked up among the retrieved, which are many more as a rule, unless they are hashed.
  const std::size_t rows = ids.size();
  const std::size_t own = find(query_id);
  const std::int64_t seen = drop(query_id, own, rows, find);
  if (hashed_ != nullptr && !options_.units.any()) {
    look_up(query, ids, hashes, scores);
  } else {
    match(query, scores, find);
  }
  if (!dropped_.empty()) keep_others(ids, scores);

  written_.start();
  const auto text = [&](std::size_t row) {
    if constexpr (std::is_same_v<Id, std::string_view>) {
      return ids[row];
    } else {
      return written_.text(row, ids.size(), id_of);
    }
  };
  QueryCounts counts = ranker_.rank(scores, matches_, text, judgments_, hits);
  counts.self_matches = own < rows ? 1 : 0;
  counts.seen = seen;
  return counts;
}

template <class Find>
std::int64_t QueryRanker::drop(std::string_view query_id, std::size_t own, std::size_t rows, const Find& find) {
  dropped_.clear();
  if (options_.drop_self && own < rows) dropped_.push_back(own);
  if (options_.seen == nullptr) return 0;
  std::int64_t seen = 0;
  each_seen(query_id, [&](std::string_view document) {
    const std::size_t row = find(document);
    if (row == rows) return;
    ++seen;
    if (!options_.drop_self || row != own) dropped_.push_back(row);
  });
  std::sort(dropped_.begin(), dropped_.end());
  return seen;
}

template <class Find>
void QueryRanker::match(std::uint32_t query, std::span<const double> scores, const Find& find) {
  matches_.clear();
  const auto starts = judgments_.starts();
  for (std::int64_t judged = starts[query]; judged < starts[query + std::size_t{1}]; ++judged) {
    const auto number = static_cast<std::uint32_t>(judged);
    const std::size_t row = find(judgments_.document_id(number));
    if (row == scores.size()) continue;
    const auto dropped = std::lower_bound(dropped_.begin(), dropped_.end(), row);
    if (dropped != dropped_.end() && *dropped == row) continue;
    const auto moved = static_cast<std::size_t>(dropped - dropped_.begin());
    matches_.push_back({scores[row], number, static_cast<std::uint32_t>(row - moved)});
  }
}

template <class Ids>
void QueryRanker::look_up(std::uint32_t query, const Ids& ids, std::span<const std::uint64_t> hashes,
                          std::span<const double> scores) {
  matches_.clear();
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(ids[0])>, std::string_view>) {
    auto dropped = dropped_.begin();
    for (std::size_t row = 0; row < ids.size(); ++row) {
      if (dropped != dropped_.end() && *dropped == row) {
        ++dropped;
        continue;
      }
      const std::uint32_t judged = hashed_->find(query, ids[row], hashes[row]);
      if (judged == IdTable::kAbsent) continue;
      const auto moved = static_cast<std::size_t>(dropped - dropped_.begin());
      matches_.push_back({scores[row], judged, static_cast<std::uint32_t>(row - moved)});
    }
  }
}

template <class Ids>
void QueryRanker::keep_others(Ids& ids, std::span<const double>& scores) {
  kept_.clear();
  auto next = dropped_.begin();
  for (std::uint32_t row = 0; row < ids.size(); ++row) {
    if (next != dropped_.end() && *next == row) {
      ++next;
    } else {
      kept_.push_back(row);
    }
  }
  keep(ids, scores);
}

template <class Use>
void QueryRanker::each_seen(std::string_view query_id, const Use& use) const {
  const std::uint32_t query = options_.seen->find_query(query_id);
  if (query == IdTable::kAbsent) return;
  const auto starts = options_.seen->starts();
  for (std::int64_t row = starts[query]; row < starts[query + std::size_t{1}]; ++row) {
    const auto number = static_cast<std::uint32_t>(row);
    if (options_.seen->label(number) != 0) use(options_.seen->document_id(number));
  }
}

template <class Ids>
void QueryRanker::leave_out_duplicates(Ids& ids, std::span<const std::uint64_t>& hashes,
                                       std::span<const double>& scores) {
  slots_.start(ids.size());
  kept_.clear();
  for (std::uint32_t row = 0; row < ids.size(); ++row) {
    std::uint32_t& place = slots_.at(hashes[row], [&](std::uint32_t other) {
      return hashes[kept_[other]] == hashes[row] && ids[kept_[other]] == ids[row];
    });
    if (place == HashSlots::kFree) {
      place = static_cast<std::uint32_t>(kept_.size());
      kept_.push_back(row);
    } else if (options_.duplicates == Duplicates::best && scores[row] > scores[kept_[place]]) {
      kept_[place] = row;
    }
  }
  std::sort(kept_.begin(), kept_.end());
  keep(ids, scores);
  hashes_.resize(std::max(hashes_.size(), kept_.size()));
  for (std::size_t row = 0; row < kept_.size(); ++row) hashes_[row] = hashes[kept_[row]];
  hashes = std::span<const std::uint64_t>(hashes_).first(kept_.size());
}

namespace {

template <class Id>
Id kept(std::span<const Id> ids, std::uint32_t row) noexcept {
  return ids[row];
}
IdSpan kept(const TextIds& ids, std::uint32_t row) noexcept { return ids.places[row]; }

template <class Id>
void replace(std::span<const Id>& ids, std::span<const Id> own) noexcept {
  ids = own;
}
void replace(TextIds& ids, std::span<const IdSpan> own) noexcept { ids.places = own; }

}  // namespace

template <class Ids>
void QueryRanker::keep(Ids& ids, std::span<const double>& scores) {
  auto& own_ids = std::get<std::vector<decltype(kept(ids, 0))>>(own_ids_);
  // Where they are our own already, they are as long, and stay where they are.
  own_ids.resize(std::max(own_ids.size(), kept_.size()));
  own_scores_.resize(std::max(own_scores_.size(), kept_.size()));
  for (std::size_t place = 0; place < kept_.size(); ++place) {
    own_ids[place] = kept(ids, kept_[place]);
    own_scores_[place] = scores[kept_[place]];
  }
  replace(ids, std::span(std::as_const(own_ids)).first(kept_.size()));
  scores = std::span<const double>(own_scores_).first(kept_.size());
}

}  // namespace rankmark
