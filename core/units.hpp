// Retrieved units, such as chunks of documents: each counts for its document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ids.hpp"
#include "rows_by_id.hpp"

namespace rankmark {

// How the score of a document is made of the scores of its units: the best, minus the rank of its first unit, their
// sum or mean, their number, or the sum of 1 / (60 + rank).
enum class Combine { best, first, sum, mean, count, rrf };

// The document of each unit.
class Parents {
 public:
  // Another document for a unit that has one takes its place.
  void set(std::string_view unit, std::string_view document);
  // Throws LimitFault where a unit has none.
  std::string_view document_of(std::string_view unit) const;

 private:
  IdTable units_, documents_;
  std::vector<std::uint32_t> of_units_;
};

struct UnitOptions {
  // The document's id stands before the last of these; an id without it is the document's own. Empty: no units, unless
  // their documents are given.
  std::string separator;
  const Parents* parents = nullptr;
  Combine combine = Combine::best;
  std::int64_t of_best = std::numeric_limits<std::int64_t>::max();  // so many units of a document are combined
  std::int64_t depth = std::numeric_limits<std::int64_t>::max();    // so many units of a query count
  bool higher_id_first = true;                                      // among units with equal scores
  bool by_row = false;                                              // then their order is that of the rows

  bool any() const noexcept { return !separator.empty() || parents != nullptr; }
  // Whether bringing units together also tells whether one stands twice, so that nobody needs the hashes of their ids.
  bool tell_repeats() const noexcept {
    return parents == nullptr && !separator.empty() && depth > std::numeric_limits<std::uint32_t>::max();
  }
  // Whether scores stay scores of the same kind.
  bool keeps_scores() const noexcept {
    return combine == Combine::best || combine == Combine::sum || combine == Combine::mean;
  }
};

struct UnitCounts {
  std::int64_t units = 0;     // those that counted
  std::int64_t whole = 0;     // units whose id is their document's
  std::int64_t negative = 0;  // units with negative scores that were added up
  std::int64_t documents = 0;
};

// Takes the units of one query after another, keeping its memory.
class UnitMapper {
 public:
  explicit UnitMapper(const UnitOptions& options) : options_(options) {}

  // Brings the units of each document together. Their ids must stay where they are. True where it is certain that no
  // unit stands twice, which `combine` relies on; false where one may.
  template <class Ids>
  bool group(const Ids& ids, std::span<const double> scores);
  // Gives each document its score, of the same scores. Documents come in the order of their best units' rows.
  UnitCounts combine(std::span<const double> scores);

  std::span<const std::string_view> documents() const noexcept {
    return std::span(by_row_.empty() ? documents_ : sorted_documents_).first(size_);
  }
  std::span<const double> scores() const noexcept {
    return std::span(by_row_.empty() ? scores_ : sorted_scores_).first(size_);
  }
  // The place of a document, or the number of documents.
  std::size_t find(std::string_view document, std::uint64_t hash) const noexcept;

 private:
  // A unit that is not the first of its document, by its place among those that count.
  struct Later {
    std::uint32_t place, document;
  };

  std::string_view document_of(std::string_view id) const;
  // Puts the rows of the units that count in `order_`, by rank; none where that is the order of all rows.
  void order(std::span<const double> scores);
  // Makes room for so many documents, and forgets those there were.
  void start(std::size_t most);
  // Fills in documents and later units. False where two documents have the same hash; then the other does it.
  bool take_by_hash();
  void take_by_id();
  bool documents_hold() const;
  bool all_differ();
  std::uint32_t row_of(std::uint32_t place) const noexcept { return order_.empty() ? place : order_[place]; }
  void add(std::uint32_t number, std::size_t place, double score) noexcept;
  void finish();

  UnitOptions options_;
  std::vector<std::string_view> all_;  // the ids of all rows, where they are not given as such
  std::vector<std::uint32_t> order_;
  std::vector<std::string_view> ordered_;
  std::span<const std::string_view> units_;  // those that count, by place
  std::int64_t whole_ = 0;
  HashSlots slots_;  // of documents, as they came
  // What is known of each document, as they came; there is room for more.
  std::size_t size_ = 0;
  std::vector<std::string_view> documents_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> firsts_;  // the places of their first units
  std::vector<double> scores_;
  std::vector<std::uint32_t> rows_;     // of their best units
  std::vector<std::int64_t> combined_;  // how many units were
  std::vector<Later> later_;            // as many as there are units more than documents; there is room for more
  std::vector<std::uint64_t> later_hashes_;
  RowsById later_rows_;
  // Documents by row, and the place of each there; empty where they came so.
  std::vector<std::uint32_t> by_row_, places_;
  std::vector<std::string_view> sorted_documents_;
  std::vector<double> sorted_scores_;
};

}  // namespace rankmark
