// Dicts read and ranked one after another, under the interpreter's lock.
#include "dict_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dict_entries.hpp"
#include "inlining.hpp"
#include "prefetch.hpp"
#include "rows_by_id.hpp"

namespace rankmark {
namespace {

struct RunQuery {
  nb::object id, dict;
  std::uint32_t number;  // in the judgments, or kAbsent
};

PyObject* found(PyObject* dict, PyObject* key) {
  PyObject* const value = PyDict_GetItemWithError(dict, key);
  if (value == nullptr && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return value;
}

std::string_view bytes_of(PyObject* id) {
  const std::optional<std::string_view> bytes = utf8_of(id);
  if (!bytes) throw NotPlain();  // to be told as such
  return *bytes;
}

// A str in a dict. Nearly always two that are equal are one object, or their texts are compared.
struct DictId {
  PyObject* object;

  bool operator==(DictId other) const noexcept {
    return object == other.object || PyUnicode_Compare(object, other.object) == 0;
  }
};

// A str that is or was a key has its hash already.
std::uint64_t hash_of(PyObject* id) {
  Py_hash_t hash = reinterpret_cast<PyASCIIObject*>(id)->hash;
  if (hash == -1) hash = PyObject_Hash(id);
  if (hash == -1) nb::raise_python_error();
  return static_cast<std::uint64_t>(hash);
}

// Sorts matches by score, highest first, through as many buckets of equal width as there are matches: scores that
// are spread out then need few comparisons, of which the processor would mispredict half. Others stay as they are.
class SpreadSorter {
 public:
  void sort(std::vector<Match>& matches) {
    if (matches.size() < kFew || matches.size() > kMany) return;
    double lowest = matches[0].score, highest = lowest;
    for (const Match& match : matches) {
      lowest = std::min(lowest, match.score);
      highest = std::max(highest, match.score);
    }
    const double scale = (static_cast<double>(matches.size()) - 1) / (highest - lowest);
    if (!std::isfinite(scale) || !std::isfinite(highest - lowest)) return;
    ends_.assign(matches.size(), 0);
    buckets_.resize(matches.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
      buckets_[i] = static_cast<std::uint32_t>((highest - matches[i].score) * scale);
      if (++ends_[buckets_[i]] > kCrowded) return;
    }
    std::uint32_t end = 0;
    for (std::uint32_t& bucket : ends_) end = bucket = end + bucket;
    sorted_.resize(matches.size());
    for (std::size_t i = matches.size(); i-- > 0;) sorted_[--ends_[buckets_[i]]] = matches[i];
    for (std::size_t i = 1; i < sorted_.size(); ++i) {
      if (!(sorted_[i - 1].score < sorted_[i].score)) continue;  // as mostly
      const Match moved = sorted_[i];
      std::size_t place = i;
      for (; place > 0 && sorted_[place - 1].score < moved.score; --place) sorted_[place] = sorted_[place - 1];
      sorted_[place] = moved;
    }
    matches.swap(sorted_);
  }

 private:
  static constexpr std::size_t kFew = 16, kMany = 4096;
  static constexpr std::uint32_t kCrowded = 8;

  std::vector<std::uint32_t> ends_, buckets_;
  std::vector<Match> sorted_;
};

// The entries of a dict, borrowed from it. Ids and values lie scattered in memory, and are asked for before they are
// looked at. Nobody may change the dict meanwhile.
struct DictEntries {
  std::vector<PyObject*> ids;
  std::vector<double> scores;

  void read(PyObject* dict) {
    const auto size = static_cast<std::size_t>(PyDict_Size(dict));
    ids.resize(size);
    scores.resize(size);
    const std::size_t rows = holds_only_text(dict) ? read_in_place(entries_of(dict)) : read_any(dict);
    ids.resize(rows);
    scores.resize(rows);
  }

  // Calls `use(id)` for each.
  template <class Use>
  void each_id(const Use& use) const {
    for (std::size_t row = 0; row < ids.size(); ++row) {
      prefetch(ids[std::min(row + kAhead, ids.size() - 1)]);
      use(ids[row]);
    }
  }

 private:
  static constexpr std::size_t kAhead = 32;

  static double score_of(PyObject* value) {
    if (!PyFloat_CheckExact(value)) throw NotPlain();
    const double score = PyFloat_AS_DOUBLE(value);
    if (score != score) throw NotPlain();
    return score;
  }

  // Returns how many there were, as the others below. Ids are not looked at.
  std::size_t read_in_place(std::span<const DictEntry> entries) {
    std::size_t row = 0;
    for (std::size_t i = 0; i < entries.size() && row < ids.size(); ++i) {
      prefetch(entries[std::min(i + kAhead, entries.size() - 1)].value);
      if (entries[i].value == nullptr) continue;
      ids[row] = entries[i].key;
      scores[row++] = score_of(entries[i].value);
    }
    return row;
  }

  std::size_t read_any(PyObject* dict) {
    values_.resize(ids.size());
    std::size_t rows = 0;
    for (Py_ssize_t at = 0; rows < ids.size() && PyDict_Next(dict, &at, &ids[rows], &values_[rows]) != 0; ++rows) {
      prefetch(ids[rows]);
      prefetch(values_[rows]);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      if (!PyUnicode_CheckExact(ids[row])) throw NotPlain();
      scores[row] = score_of(values_[row]);
    }
    return rows;
  }

  std::vector<PyObject*> values_;
};

class DictAligner {
 public:
  DictAligner(const Judgments& judgments, const nb::tuple& documents, const RankingOptions& options)
      : columns(judgments.queries()),
        judgments_(judgments),
        documents_(documents),
        options_(options),
        ranker_(options) {}

  // Reads a query's entries and ranks them, if the query is judged.
  void read(const RunQuery& caller_query) {
    const RunQuery query{caller_query.id, unchanging(caller_query.dict.ptr()), caller_query.number};
    entries_.read(query.dict.ptr());
    rows += static_cast<std::int64_t>(entries_.ids.size());
    if (query.number != IdTable::kAbsent) rank(query);
  }

  AlignedColumnsBuilder columns;
  std::int64_t rows = 0;

 private:
  // A function of its own: within `read` it would take registers from the loops over all documents.
  RANKMARK_NOT_INLINE void rank(const RunQuery& query) {
    const bool holds_self = found(query.dict.ptr(), query.id.ptr()) != nullptr;
    const bool drops_self = holds_self && options_.drop_self;
    if (drops_self) leave_out(query.id.ptr());
    const std::span<const double> scores = ranker_.held(entries_.scores);
    if (!drops_self && are_all_in_place(query.dict.ptr())) {
      match_in_place(query, scores);
      sorter_.sort(matches_);
    } else if (entries_.ids.size() <= kRowsAJudgment * judgments_.documents(query.number)) {
      match_by_hash(query.number, scores);
      sorter_.sort(matches_);
    } else {
      look_up(query, drops_self);
    }
    hits_.clear();
    const auto id = [&](std::size_t row) { return bytes_of(entries_.ids[row]); };
    QueryCounts counts = ranker_.rank(scores, matches_, id, judgments_, hits_);
    counts.self_matches = holds_self ? 1 : 0;
    columns.put(query.number, counts, hits_);
  }

  void leave_out(PyObject* document) {
    const auto is_it = [&](PyObject* id) { return PyUnicode_Compare(id, document) == 0; };
    const auto row = std::find_if(entries_.ids.begin(), entries_.ids.end(), is_it) - entries_.ids.begin();
    entries_.ids.erase(entries_.ids.begin() + row);
    entries_.scores.erase(entries_.scores.begin() + row);
  }

  // `use(judged, id)` for the judged documents of a query.
  template <class Use>
  void each_judged(std::uint32_t query, const Use& use) const {
    const auto starts = judgments_.starts();
    const std::int64_t end = starts[query + std::size_t{1}];
    for (std::int64_t row = starts[query]; row < end; ++row) {
      prefetch(PyTuple_GET_ITEM(documents_.ptr(), std::min(row + kAhead, end - 1)));
      use(static_cast<std::uint32_t>(row), PyTuple_GET_ITEM(documents_.ptr(), row));
    }
  }

  // Whether row i was the entry i of the dict.
  bool are_all_in_place(PyObject* dict) const noexcept {
    return holds_only_text(dict) && entries_of(dict).size() == entries_.ids.size();
  }

  // Finds the judged documents where the dict has them.
  void match_in_place(const RunQuery& query, std::span<const double> scores) {
    const EntryFinder finder(query.dict.ptr());
    std::size_t found = 0;
    matches_.resize(judgments_.documents(query.number));
    each_judged(query.number, [&](std::uint32_t judged, PyObject* id) {
      const std::size_t row = finder.find(id, static_cast<Py_hash_t>(hash_of(id)));
      if (row < scores.size()) matches_[found++] = {scores[row], judged, static_cast<std::uint32_t>(row)};
    });
    matches_.resize(found);
  }

  // Finds the judged documents in a table of the retrieved.
  void match_by_hash(std::uint32_t query, std::span<const double> scores) {
    matches_.clear();
    hashes_.clear();
    entries_.each_id([&](PyObject* id) { hashes_.push_back(hash_of(id)); });
    const auto id_of = [&](std::size_t row) { return DictId{entries_.ids[row]}; };
    rows_by_id_.start(hashes_, judgments_.documents(query), id_of);
    each_judged(query, [&](std::uint32_t judged, PyObject* id) {
      const std::size_t row = rows_by_id_.find(DictId{id}, hash_of(id), id_of);
      if (row < scores.size()) matches_.push_back({scores[row], judged, static_cast<std::uint32_t>(row)});
    });
  }

  // Asks the dict itself for the judged documents, where they are few.
  void look_up(const RunQuery& query, bool drops_self) {
    matches_.clear();
    each_judged(query.number, [&](std::uint32_t judged, PyObject* id) {
      PyObject* const score = found(query.dict.ptr(), id);
      if (score == nullptr || (drops_self && judgments_.document_id(judged) == judgments_.query_id(query.number))) {
        return;
      }
      matches_.push_back({options_.held(PyFloat_AS_DOUBLE(score)), judged, Match::kUnknownRow});
    });
  }

  static constexpr std::int64_t kAhead = 8;
  static constexpr std::size_t kRowsAJudgment = 2;  // up to so many, a table of their own is found in faster

  const Judgments& judgments_;
  const nb::tuple& documents_;
  const RankingOptions& options_;
  Ranker ranker_;
  std::vector<std::uint64_t> hashes_;
  RowsById rows_by_id_;
  SpreadSorter sorter_;
  DictEntries entries_;
  std::vector<Match> matches_;
  std::vector<Hit> hits_;
};

}  // namespace

nb::tuple align_plain_dicts(const nb::dict& caller_run, const Judgments& judgments, const nb::tuple& queries,
                            const nb::tuple& documents, const RankingOptions& options) {
  if (options.seen != nullptr || options.units.any()) throw NotPlain();
  const auto run = nb::borrow<nb::dict>(unchanging(caller_run.ptr()));
  nb::list examples;
  PyObject *id, *dict;
  for (Py_ssize_t at = 0; PyDict_Next(run.ptr(), &at, &id, &dict);) {
    if (!PyUnicode_CheckExact(id) || !PyDict_CheckExact(dict)) throw NotPlain();
  }
  std::vector<RunQuery> held;
  held.reserve(run.size());
  std::size_t rows = 0;
  for (std::uint32_t q = 0; q < judgments.queries(); ++q) {
    PyObject* const query = PyTuple_GET_ITEM(queries.ptr(), q);
    dict = found(run.ptr(), query);
    if (dict == nullptr) continue;
    held.push_back({borrowed(query), borrowed(dict), q});
    rows += static_cast<std::size_t>(PyDict_Size(dict));
  }
  const auto run_only = static_cast<std::int64_t>(run.size() - held.size());
  for (Py_ssize_t at = 0; run_only > 0 && PyDict_Next(run.ptr(), &at, &id, &dict);) {
    if (judgments.find_query(bytes_of(id)) != IdTable::kAbsent) continue;
    held.push_back({borrowed(id), borrowed(dict), IdTable::kAbsent});
    if (examples.size() < 3) examples.append(held.back().id);
  }

  DictAligner aligner(judgments, documents, options);
  aligner.columns.reserve(std::min(rows, judgments.labels().size()));
  for (const RunQuery& query : held) {
    aligner.read(query);
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  }
  return nb::make_tuple(columns_tuple(std::move(aligner.columns).finish()), run_only, examples, aligner.rows, 0, 0);
}

Rankings rankings_of_plain_dicts(const nb::dict& caller_run, const ListOptions& options) {
  const auto run = nb::borrow<nb::dict>(unchanging(caller_run.ptr()));
  Rankings rankings;
  ListRanker ranker(options);
  DictEntries entries;
  std::vector<std::string_view> ids;
  const auto ranked = std::make_shared<RankedDocuments>();
  std::vector<RunQuery> held;
  held.reserve(run.size());
  std::size_t rows = 0;
  PyObject *id, *dict;
  for (Py_ssize_t at = 0; PyDict_Next(run.ptr(), &at, &id, &dict);) {
    if (!PyUnicode_CheckExact(id) || !PyDict_CheckExact(dict)) throw NotPlain();
    held.push_back({borrowed(id), borrowed(dict), IdTable::kAbsent});
    rows += std::min(static_cast<std::size_t>(PyDict_Size(dict)), static_cast<std::size_t>(options.deepest));
  }
  ranked->rows.reserve(rows);
  for (const RunQuery& query : held) {
    const std::string_view query_id = bytes_of(query.id.ptr());
    const nb::object unchanged = unchanging(query.dict.ptr());
    entries.read(unchanged.ptr());
    ids.clear();
    entries.each_id([&](PyObject* document) { ids.push_back(bytes_of(document)); });
    if (ids.empty()) continue;  // not answered, as in rows
    const std::size_t first = ranked->size();
    const ListCounts counts = ranker.rank(query_id, ids, entries.scores, *ranked, true);
    rankings.put(query_id, {ranked, first, ranked->size() - first, counts});
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  }
  return rankings;
}

}  // namespace rankmark
