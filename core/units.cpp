// Units brought together by document.
#include "units.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "fault.hpp"
#include "query.hpp"

namespace rankmark {
namespace {

constexpr double kReciprocalRankOffset = 60;

// Where a byte stands last in a text, or npos. Nearly always it is among the last eight, which are looked at at once.
std::size_t place_of_last(std::string_view text, char wanted) noexcept {
  if (text.size() >= 8) {
    constexpr std::uint64_t kOnes = 0x0101010101010101, kLow = 0x7f * kOnes;
    const std::uint64_t word =
        hashing::load8(text.data() + text.size() - 8) ^ kOnes * static_cast<unsigned char>(wanted);
    const std::uint64_t zeros = ~(((word & kLow) + kLow) | word | kLow);  // the highest bit of each byte that is 0
    if (zeros != 0) return text.size() - 1 - static_cast<std::size_t>(std::countl_zero(zeros)) / 8;
  }
  return text.rfind(wanted);
}

// The number in a slot, or another where the slot is free, without a branch.
std::uint32_t taken_or(std::uint32_t slot, std::uint32_t other) noexcept {
  static_assert(HashSlots::kFree == 0xffffffff);
  const auto free = static_cast<std::uint32_t>(0) - static_cast<std::uint32_t>(slot == HashSlots::kFree);
  return slot ^ ((slot ^ other) & free);
}

// The same as `hash_id`, of a text that is followed by others up to `whole` bytes.
std::uint64_t hash_of(std::string_view document, std::size_t whole) noexcept {
  const std::size_t size = document.size();
  if (whole < 8 || size > 8) return hash_id(document);
  const std::uint64_t first = hashing::load8(document.data()) << (64 - 8 * size);
  return hashing::fold(first ^ (hashing::kSecrets.first ^ size), hashing::kSecrets.second);
}

}  // namespace

void Parents::set(std::string_view unit, std::string_view document) {
  const std::uint32_t number = units_.find_or_add(unit);
  if (number == of_units_.size()) of_units_.push_back(0);
  of_units_[number] = documents_.find_or_add(document);
}

std::string_view Parents::document_of(std::string_view unit) const {
  const std::uint32_t number = units_.find(unit);
  if (number == IdTable::kAbsent) {
    throw LimitFault({"unit '" + std::string(unit) + "' has no document in parents", "add it there"});
  }
  return documents_[of_units_[number]];
}

std::string_view UnitMapper::document_of(std::string_view id) const {
  if (options_.parents != nullptr) return options_.parents->document_of(id);
  const std::size_t end =
      options_.separator.size() == 1 ? place_of_last(id, options_.separator.front()) : id.rfind(options_.separator);
  return end == std::string_view::npos || end == 0 ? id : id.substr(0, end);
}

template <class Ids>
void UnitMapper::order(const Ids& ids, std::span<const double> scores) {
  order_.resize(scores.size());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (scores[a] != scores[b]) return scores[a] > scores[b];
    if (options_.by_row) return a < b;
    return options_.higher_id_first ? std::string_view(ids[a]) > std::string_view(ids[b])
                                    : std::string_view(ids[a]) < std::string_view(ids[b]);
  };
  if (!std::is_sorted(order_.begin(), order_.end(), before)) std::sort(order_.begin(), order_.end(), before);
  if (options_.depth < static_cast<std::int64_t>(order_.size())) {
    order_.resize(static_cast<std::size_t>(options_.depth));
  }
}

void UnitMapper::start(std::size_t most) {
  size_ = 0;
  slots_.start(2 * most);  // so that few documents meet
  if (documents_.size() >= most) return;
  documents_.resize(most);
  hashes_.resize(most);
  later_.resize(most);
  scores_.resize(most);
  rows_.resize(most);
  combined_.resize(most);
}

std::uint32_t UnitMapper::number_of(std::string_view document, std::uint32_t row) {
  const std::uint64_t hash = hash_id(document);
  std::uint32_t& slot = slots_.at(
      hash, [&](std::uint32_t other) { return hashes_[other] == hash && same_id(documents_[other], document); });
  if (slot == HashSlots::kFree) {
    slot = static_cast<std::uint32_t>(size_++);
    hashes_[slot] = hash;
    documents_[slot] = document;
    rows_[slot] = row;
  }
  return slot;
}

void UnitMapper::add(std::uint32_t number, std::size_t place, double score) noexcept {
  if (combined_[number] >= options_.of_best) return;
  ++combined_[number];
  switch (options_.combine) {
    case Combine::best:
    case Combine::first: break;
    case Combine::sum:
    case Combine::mean: scores_[number] += score; break;
    case Combine::count: ++scores_[number]; break;
    case Combine::rrf: scores_[number] += 1 / (kReciprocalRankOffset + static_cast<double>(place + 1)); break;
  }
}

template <class Ids>
UnitCounts UnitMapper::map(const Ids& ids, std::span<const double> scores) {
  UnitCounts counts;
  start(scores.size());
  if (options_.combine == Combine::best && options_.depth >= static_cast<std::int64_t>(scores.size())) {
    take_best(ids, scores, counts);
  } else {
    take_ordered(ids, scores, counts);
  }
  counts.documents = static_cast<std::int64_t>(size_);
  finish();
  return counts;
}

template <class Ids>
void UnitMapper::take_best(const Ids& ids, std::span<const double> scores, UnitCounts& counts) {
  counts.units = static_cast<std::int64_t>(scores.size());
  if (options_.parents == nullptr && options_.separator.size() == 1) {
    if (take_best_by_byte(ids, scores, counts)) return;
    counts.whole = 0;
    start(scores.size());
  }
  for (std::uint32_t row = 0; row < scores.size(); ++row) {
    const std::string_view id = ids[row], document = document_of(id);
    counts.whole += options_.parents == nullptr && document.size() == id.size() ? 1 : 0;
    const std::size_t known = size_;
    const std::uint32_t number = number_of(document, row);
    if (number == known || scores[row] > scores_[number]) {
      scores_[number] = scores[row];
      rows_[number] = row;
    }
  }
}

// The same for a separator of one byte, which nearly all are. False where two documents have the same hash: a unit is
// taken for one of the document with its hash, and whether it is that is seen at the end, for those that are not the
// first of their document.
template <class Ids>
bool UnitMapper::take_best_by_byte(const Ids& ids, std::span<const double> scores, UnitCounts& counts) {
  const char separator = options_.separator.front();
  std::string_view* const documents = documents_.data();
  std::uint64_t* const hashes = hashes_.data();
  std::uint32_t* const rows = rows_.data();
  double* const best = scores_.data();
  Later* const later = later_.data();
  std::uint32_t size = 0;
  std::int64_t count = 0;
  for (std::uint32_t row = 0; row < scores.size(); ++row) {
    const std::string_view id = ids[row];
    const std::size_t end = place_of_last(id, separator);
    const bool whole = end - 1 >= id.size();  // none, or nothing before it
    count += whole ? 1 : 0;
    const std::string_view document(id.data(), whole ? id.size() : end);
    const std::uint64_t hash = hash_of(document, id.size());
    // Nobody can foresee whether this is the first unit of its document, and a branch would be mistaken every other
    // time. So it is written behind the last document as if it were, and then compared with itself.
    documents[size] = document;
    hashes[size] = hash;
    rows[size] = row;
    best[size] = scores[row];
    std::uint32_t* slot = &slots_.first(hash);
    std::uint32_t number = taken_or(*slot, size);
    if (hashes[number] != hash) [[unlikely]] {
      slot = &slots_.at(hash, [&](std::uint32_t known) { return hashes[known] == hash; });
      number = taken_or(*slot, size);
    }
    *slot = number;
    later[row - size] = {row, number};
    size += number == size ? 1 : 0;
    if (scores[row] > best[number]) {
      best[number] = scores[row];
      rows[number] = row;
    }
  }
  size_ = size;
  counts.whole = count;
  return std::all_of(later, later + (scores.size() - size),
                     [&](const Later& one) { return document_of(ids[one.row]) == documents[one.document]; });
}

// By rank, so that sums, which are made from the highest score to the lowest, do not depend on the order given.
template <class Ids>
void UnitMapper::take_ordered(const Ids& ids, std::span<const double> scores, UnitCounts& counts) {
  order(ids, scores);
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const std::uint32_t row = order_[place];
    const std::string_view id = ids[row], document = document_of(id);
    counts.whole += options_.parents == nullptr && document.size() == id.size() ? 1 : 0;
    counts.negative += options_.combine == Combine::sum && scores[row] < 0 ? 1 : 0;
    const std::size_t known = size_;
    const std::uint32_t number = number_of(document, row);
    if (number == known) {
      combined_[number] = 0;
      scores_[number] = options_.combine == Combine::best    ? scores[row]
                        : options_.combine == Combine::first ? -static_cast<double>(place + 1)
                                                             : 0;
    }
    add(number, place, scores[row]);
  }
  counts.units = static_cast<std::int64_t>(order_.size());
  for (std::size_t number = 0; number < size_; ++number) {
    if (std::isnan(scores_[number])) {
      throw LimitFault({"the scores of the units of document '" + std::string(documents_[number]) +
                            "' are infinite, and have no sum",
                        "replace infinite scores, or combine units by their best"});
    }
    if (options_.combine == Combine::mean) scores_[number] /= static_cast<double>(combined_[number]);
  }
}

void UnitMapper::finish() {
  by_row_.clear();
  const auto rows = std::span(rows_).first(size_);
  if (std::is_sorted(rows.begin(), rows.end())) return;
  by_row_.resize(size_);
  places_.resize(size_);
  sorted_documents_.resize(std::max(size_, sorted_documents_.size()));
  sorted_scores_.resize(std::max(size_, sorted_scores_.size()));
  std::iota(by_row_.begin(), by_row_.end(), std::uint32_t{0});
  std::sort(by_row_.begin(), by_row_.end(), [&](std::uint32_t a, std::uint32_t b) { return rows[a] < rows[b]; });
  for (std::uint32_t place = 0; place < size_; ++place) {
    const std::uint32_t number = by_row_[place];
    places_[number] = place;
    sorted_documents_[place] = documents_[number];
    sorted_scores_[place] = scores_[number];
  }
}

std::size_t UnitMapper::find(std::string_view document, std::uint64_t hash) const noexcept {
  const std::uint32_t number =
      slots_.find(hash, [&](std::uint32_t other) { return hashes_[other] == hash && documents_[other] == document; });
  if (number == HashSlots::kFree) return size_;
  return by_row_.empty() ? number : places_[number];
}

template UnitCounts UnitMapper::map(const TextIds&, std::span<const double>);
template UnitCounts UnitMapper::map(const std::span<const std::string_view>&, std::span<const double>);
template UnitCounts UnitMapper::map(const std::vector<std::string>&, std::span<const double>);

}  // namespace rankmark
