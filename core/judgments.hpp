// Judged documents by query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ids.hpp"

namespace rankmark {

// Rows of one query stand together, in the order in which they were added; queries in the order in
// which each came first. Immutable once built, so that threads may share it.
class Judgments {
 public:
  static constexpr std::uint32_t kUnjudged = 0xffffffff;

  std::uint32_t queries() const noexcept { return ids_.size(); }
  std::string_view query_id(std::uint32_t query) const noexcept { return ids_[query]; }
  const IdTable& ids() const noexcept { return ids_; }
  std::uint32_t find_query(std::string_view id) const noexcept { return ids_.find(id); }

  std::string_view document_id(std::uint32_t row) const noexcept {
    return held_.empty() ? spans_[row].in(bytes_.data()) : held_[row];
  }
  double label(std::uint32_t row) const noexcept { return labels_[row]; }
  std::span<const double> labels() const noexcept { return labels_; }
  // (queries + 1) offsets: the rows of a query are starts[q] to starts[q + 1].
  std::span<const std::int64_t> starts() const noexcept { return starts_; }
  std::size_t documents(std::uint32_t query) const noexcept {
    return static_cast<std::size_t>(starts_[query + std::size_t{1}] - starts_[query]);
  }

 private:
  friend class JudgmentsBuilder;

  IdTable ids_;
  std::string bytes_;
  std::vector<IdSpan> spans_;
  // In place of bytes and spans where somebody else keeps the documents' ids, for as long as the holder lives.
  std::vector<std::string_view> held_;
  std::shared_ptr<const void> holder_;
  std::vector<double> labels_;
  std::vector<std::int64_t> starts_;
};

// The documents of queries one after another, whose ids somebody else keeps. No query has one twice.
struct HeldDocuments {
  std::vector<std::string_view> ids;
  std::vector<double> labels;
  std::vector<std::int64_t> starts;  // of each query, and the end
  std::shared_ptr<const void> holder;
};

// Rows with the numbers of their queries and documents in lists of ids, which differ.
struct JudgedRows {
  std::span<const std::uint32_t> queries;
  std::span<const std::string_view> query_ids;
  std::span<const std::uint32_t> documents;
  std::span<const std::string_view> document_ids;
  std::span<const double> labels;  // none where all are 1
};

class JudgmentsBuilder {
 public:
  std::uint32_t query(std::string_view id) { return query(id, hash_id(id)); }
  std::uint32_t query(std::string_view id, std::uint64_t hash) { return built_.ids_.find_or_add(id, hash); }
  void add(std::uint32_t query, std::string_view document, std::uint64_t hash, double label);
  // Groups the rows by query; throws DuplicateFault where a query holds a document twice, by the hashes.
  Judgments finish() &&;

  // Judgments in which a query has each of its documents once, with the label of the first row that names it.
  static Judgments of_rows(const JudgedRows& rows);

  // Judgments of queries that differ.
  static Judgments of_held(std::span<const std::string_view> query_ids, HeldDocuments&& documents);

 private:
  void group_by_query();
  void refuse_duplicates() const;

  Judgments built_;
  std::vector<std::uint32_t> query_of_;
  std::vector<std::uint64_t> hashes_;  // of the documents' ids
};

}  // namespace rankmark
