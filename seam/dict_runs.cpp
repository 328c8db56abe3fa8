// Dicts listed batch by batch; two threads read them.
#include "dict_runs.hpp"

#include <algorithm>
#include <future>
#include <optional>
#include <string_view>
#include <vector>

#include "prefetch.hpp"

namespace rankmark {
namespace {

constexpr std::size_t kBatch = std::size_t{1} << 16;  // rows, about

struct RunQuery {
  nb::object id, dict;
  std::uint32_t number;  // in the judgments, or kAbsent
};

// Entries of some dicts, as they stand.
class Batch {
 public:
  struct Query {
    const RunQuery* query;
    std::size_t first, rows;
  };

  void clear() {
    queries.clear();
    rows_ = 0;
  }

  void add(const RunQuery& query) {
    const auto rows = static_cast<std::size_t>(PyDict_Size(query.dict.ptr()));
    queries.push_back({&query, rows_, rows});
    rows_ += rows;
  }

  std::size_t rows() const noexcept { return rows_; }

  // Reads the entries; false where the dicts hold something else than text ids and numbers. Only reads,
  // so that it may run beside the thread that holds the interpreter's lock and waits meanwhile.
  bool read() {
    ids.resize(rows_);
    values.resize(rows_);
    scores.resize(rows_);
    return std::all_of(queries.begin(), queries.end(), [&](const Query& one) { return read(one); });
  }

  std::vector<Query> queries;
  std::vector<PyObject*> ids, values;
  std::vector<double> scores;

 private:
  // Ids and values lie scattered in memory: first where they are, then what they are.
  bool read(const Query& one) {
    const std::size_t end = one.first + one.rows;
    std::size_t row = one.first;
    for (Py_ssize_t at = 0; row < end && PyDict_Next(one.query->dict.ptr(), &at, &ids[row], &values[row]); ++row) {
      prefetch(ids[row]);
      prefetch(values[row]);
    }
    for (row = one.first; row < end; ++row) {
      if (!PyUnicode_CheckExact(ids[row]) || !PyFloat_CheckExact(values[row])) return false;
      scores[row] = PyFloat_AS_DOUBLE(values[row]);
      if (scores[row] != scores[row]) return false;
    }
    return true;
  }

  std::size_t rows_ = 0;
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

class DictAligner {
 public:
  DictAligner(const Judgments& judgments, const nb::tuple& documents, const RankingOptions& options, bool two_threads)
      : columns(judgments.queries()), judgments_(judgments), documents_(documents), options_(options),
        two_threads_(two_threads), ranker_(options) {}

  // Reads queries from `next` on, a batch or two of them, and says where it stopped.
  std::size_t read(const std::vector<RunQuery>& queries, std::size_t next) {
    for (Batch& batch : batches_) {
      batch.clear();
      while (next < queries.size() && batch.rows() < kBatch) batch.add(queries[next++]);
    }
    std::future<bool> second;
    if (two_threads_ && batches_[1].rows() >= kBatch) {
      second = std::async(std::launch::async, [&] { return batches_[1].read(); });
    }
    bool plain = batches_[0].read();
    plain &= second.valid() ? second.get() : batches_[1].read();
    if (!plain) throw NotPlain();
    for (Batch& batch : batches_) {
      for (const Batch::Query& one : batch.queries) {
        rows += static_cast<std::int64_t>(one.rows);
        if (one.query->number != IdTable::kAbsent) rank(batch, one);
      }
    }
    return next;
  }

  ColumnsBuilder columns;
  std::int64_t rows = 0;

 private:
  void rank(Batch& batch, const Batch::Query& one) {
    const std::uint32_t number = one.query->number;
    PyObject* const dict = one.query->dict.ptr();
    std::span<PyObject*> ids(batch.ids.data() + one.first, one.rows);
    std::span<double> scores(batch.scores.data() + one.first, one.rows);
    const bool holds_self = found(dict, one.query->id.ptr()) != nullptr;
    const bool drops_self = holds_self && options_.drop_self;
    if (drops_self) {
      const auto own = std::find_if(ids.begin(), ids.end(), [&](PyObject* id) {
                         return PyUnicode_Compare(id, one.query->id.ptr()) == 0;
                       }) - ids.begin();
      std::rotate(ids.begin() + own, ids.begin() + own + 1, ids.end());
      std::rotate(scores.begin() + own, scores.begin() + own + 1, scores.end());
      ids = ids.first(ids.size() - 1);
      scores = scores.first(scores.size() - 1);
    }
    if (options_.single) {
      for (double& score : scores) score = options_.held(score);
    }
    matches_.clear();
    hits_.clear();
    const auto starts = judgments_.starts();
    for (std::int64_t row = starts[number]; row < starts[number + std::size_t{1}]; ++row) {
      PyObject* const score = found(dict, PyTuple_GET_ITEM(documents_.ptr(), row));
      const auto judged = static_cast<std::uint32_t>(row);
      if (score == nullptr || (drops_self && judgments_.document_id(judged) == judgments_.query_id(number))) continue;
      matches_.push_back({options_.held(PyFloat_AS_DOUBLE(score)), judged, Match::kUnknownRow});
    }
    const auto id = [&](std::size_t row) { return bytes_of(ids[row]); };
    QueryCounts counts = ranker_.rank(scores, matches_, id, judgments_, hits_);
    counts.self_matches = holds_self ? 1 : 0;
    columns.put(number, counts, hits_);
  }

  const Judgments& judgments_;
  const nb::tuple& documents_;
  const RankingOptions& options_;
  bool two_threads_;
  Ranker ranker_;
  Batch batches_[2];
  std::vector<Match> matches_;
  std::vector<Hit> hits_;
};

}  // namespace

nb::tuple align_plain_dicts(const nb::dict& run, const Judgments& judgments, const nb::tuple& queries,
                            const nb::tuple& documents, const RankingOptions& options, int threads) {
  if (options.seen != nullptr) throw NotPlain();
  nb::list examples;
  PyObject *id, *dict;
  for (Py_ssize_t at = 0; PyDict_Next(run.ptr(), &at, &id, &dict);) {
    if (!PyUnicode_CheckExact(id) || !PyDict_CheckExact(dict)) throw NotPlain();
  }
  std::vector<RunQuery> held;
  held.reserve(run.size());
  for (std::uint32_t q = 0; q < judgments.queries(); ++q) {
    PyObject* const query = PyTuple_GET_ITEM(queries.ptr(), q);
    dict = found(run.ptr(), query);
    if (dict != nullptr) held.push_back({borrowed(query), borrowed(dict), q});
  }
  const auto run_only = static_cast<std::int64_t>(run.size() - held.size());
  for (Py_ssize_t at = 0; run_only > 0 && PyDict_Next(run.ptr(), &at, &id, &dict);) {
    if (judgments.find_query(bytes_of(id)) != IdTable::kAbsent) continue;
    held.push_back({borrowed(id), borrowed(dict), IdTable::kAbsent});
    if (examples.size() < 3) examples.append(held.back().id);
  }

  DictAligner aligner(judgments, documents, options, threads > 1);
  for (std::size_t next = 0; next < held.size();) {
    next = aligner.read(held, next);
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  }
  return nb::make_tuple(columns_tuple(aligner.columns.finish()), run_only, examples, aligner.rows, 0, 0);
}

}  // namespace rankmark
