// Units brought together by document.
#include "units.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "fault.hpp"
#include "inlining.hpp"
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

RANKMARK_NOT_INLINE std::size_t place_of_last(std::string_view text, std::string_view wanted) noexcept {
  return text.rfind(wanted);
}

// What divides a unit's id.
class Separator {
 public:
  explicit Separator(std::string_view text) noexcept : text_(text), byte_(text.front()), is_byte_(text.size() == 1) {}

  // How much of an id is its document's: all of it where there is no separator, or nothing before it.
  std::size_t size_of_document(std::string_view id) const noexcept {
    const std::size_t end = is_byte_ ? place_of_last(id, byte_) : place_of_last(id, text_);
    return end - 1 >= id.size() ? id.size() : end;
  }

 private:
  std::string_view text_;
  char byte_;
  bool is_byte_;
};

// The number in a slot, or another where the slot is free, without a branch.
std::uint32_t taken_or(std::uint32_t slot, std::uint32_t other) noexcept {
  static_assert(HashSlots::kFree == 0xffffffff);
  const auto free = static_cast<std::uint32_t>(0) - static_cast<std::uint32_t>(slot == HashSlots::kFree);
  return slot ^ ((slot ^ other) & free);
}

// The same as `hash_id`, of a text that is followed by others up to `whole` bytes. Written out for the lengths that
// most documents' ids have.
std::uint64_t hash_of(std::string_view document, std::size_t whole) noexcept {
  using namespace hashing;
  const char* const p = document.data();
  const std::size_t size = document.size();
  const auto [first, second] = kSecrets;
  if (size - 9 < 24) [[likely]] {
    const std::uint64_t begin = first ^ size, last = load8(p + size - 8);
    if (size <= 16) return fold_both(load8(p) ^ begin, last ^ second);
    const std::uint64_t state = fold_both(load8(p) ^ begin, load8(p + 8) ^ second);
    return size <= 24 ? fold(last ^ state, second) : fold_both(load8(p + 16) ^ state, last ^ second);
  }
  if (whole < 8 || size > 8) return hash_id(document);
  return fold(load8(p) << (64 - 8 * size) ^ (first ^ size), second);
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
  return id.substr(0, Separator(options_.separator).size_of_document(id));
}

template <class Ids>
bool UnitMapper::group(const Ids& ids, std::span<const double> scores) {
  if constexpr (std::is_convertible_v<const Ids&, std::span<const std::string_view>>) {
    units_ = ids;
  } else {
    all_.resize(std::max(all_.size(), scores.size()));
    for (std::size_t row = 0; row < scores.size(); ++row) all_[row] = ids[row];
    units_ = std::span<const std::string_view>(all_).first(scores.size());
  }
  order(scores);
  start(units_.size());
  if (options_.parents != nullptr || !take_by_hash()) {
    start(units_.size());
    take_by_id();
  }
  return options_.parents == nullptr && units_.size() == scores.size() && all_differ();
}

void UnitMapper::order(std::span<const double> scores) {
  order_.clear();
  const bool all = options_.depth >= static_cast<std::int64_t>(scores.size());
  if (options_.combine == Combine::best && all) return;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (scores[a] != scores[b]) return scores[a] > scores[b];
    if (options_.by_row) return a < b;
    return options_.higher_id_first ? units_[a] > units_[b] : units_[a] < units_[b];
  };
  std::uint32_t in_order = 1;
  while (in_order < scores.size() && !before(in_order, in_order - 1)) ++in_order;
  if (in_order >= scores.size()) {
    if (!all) units_ = units_.first(static_cast<std::size_t>(options_.depth));
    return;
  }
  order_.resize(scores.size());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  std::sort(order_.begin(), order_.end(), before);
  if (!all) order_.resize(static_cast<std::size_t>(options_.depth));
  ordered_.resize(std::max(ordered_.size(), order_.size()));
  std::transform(order_.begin(), order_.end(), ordered_.begin(), [this](std::uint32_t row) { return units_[row]; });
  units_ = std::span<const std::string_view>(ordered_).first(order_.size());
}

void UnitMapper::start(std::size_t most) {
  size_ = 0;
  whole_ = 0;
  slots_.start(2 * most);  // so that few documents meet
  if (documents_.size() >= most) return;
  documents_.resize(most);
  hashes_.resize(most);
  firsts_.resize(most);
  scores_.resize(most);
  rows_.resize(most);
  combined_.resize(most);
  later_.resize(most);
  later_hashes_.resize(most);
}

void UnitMapper::take_by_id() {
  for (std::uint32_t place = 0; place < units_.size(); ++place) {
    const std::string_view id = units_[place], document = document_of(id);
    whole_ += options_.parents == nullptr && document.size() == id.size() ? 1 : 0;
    const std::uint64_t hash = hash_id(document);
    std::uint32_t& slot = slots_.at(
        hash, [&](std::uint32_t other) { return hashes_[other] == hash && same_id(documents_[other], document); });
    if (slot == HashSlots::kFree) {
      slot = static_cast<std::uint32_t>(size_);
      documents_[size_] = document;
      hashes_[size_] = hash;
      firsts_[size_++] = place;
    } else {
      later_[place - size_] = {place, slot};
    }
  }
}

// A unit is taken for one of the document with its hash, and whether it is that is seen at the end, for those that are
// not the first of their document.
bool UnitMapper::take_by_hash() {
  const Separator separator(options_.separator);
  std::string_view* const documents = documents_.data();
  std::uint64_t* const hashes = hashes_.data();
  std::uint32_t* const firsts = firsts_.data();
  Later* const later = later_.data();
  std::uint32_t size = 0;
  std::int64_t count = 0;
  for (std::uint32_t place = 0; place < units_.size(); ++place) {
    const std::string_view id = units_[place];
    const std::string_view document(id.data(), separator.size_of_document(id));
    count += document.size() == id.size() ? 1 : 0;
    const std::uint64_t hash = hash_of(document, id.size());
    // Nobody can foresee whether this is the first unit of its document, and a branch would be mistaken every other
    // time. So it is written behind the last document as if it were, and then compared with itself.
    documents[size] = document;
    hashes[size] = hash;
    firsts[size] = place;
    std::uint32_t* slot = &slots_.first(hash);
    std::uint32_t number = taken_or(*slot, size);
    if (hashes[number] != hash) [[unlikely]] {
      slot = &slots_.at(hash, [&](std::uint32_t known) { return hashes[known] == hash; });
      number = taken_or(*slot, size);
    }
    *slot = number;
    later[place - size] = {place, number};
    size += number == size ? 1 : 0;
  }
  size_ = size;
  whole_ = count;
  return documents_hold();
}

bool UnitMapper::documents_hold() const {
  const Separator separator(options_.separator);
  bool hold = true;
  for (const auto [place, number] : std::span<const Later>(later_).first(units_.size() - size_)) {
    const std::string_view id = units_[place];
    hold &= same_id({id.data(), separator.size_of_document(id)}, documents_[number]);
  }
  return hold;
}

// Only units of the same document can be the same, so that each is compared with the first one of its document, and
// those that are not the first with each other.
bool UnitMapper::all_differ() {
  const std::size_t count = units_.size() - size_;
  bool differ = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [place, document] = later_[i];
    const std::string_view unit = units_[place], first = units_[firsts_[document]];
    const std::size_t behind = unit.size() - documents_[document].size();
    if (unit.size() < 8 || first.size() < 8 || behind > 8) [[unlikely]] {
      differ &= unit != first;
      later_hashes_[i] = hash_id(unit);
      continue;
    }
    // All that is not the document's id is among the last bytes.
    const std::uint64_t last = hashing::load8(unit.data() + unit.size() - 8);
    const bool other_end = last != hashing::load8(first.data() + first.size() - 8);
    differ = differ && (unit.size() != first.size() || other_end);
    later_hashes_[i] = hashing::fold(last ^ hashes_[document], hashing::kSecrets.second);
  }
  return differ && later_rows_.start(std::span<const std::uint64_t>(later_hashes_).first(count), 0,
                                     [this](std::size_t i) { return units_[later_[i].place]; }) == count;
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

// Sums, which are made from the highest score to the lowest, do not depend on the order of the rows.
UnitCounts UnitMapper::combine(std::span<const double> scores) {
  const bool best = options_.combine == Combine::best;
  UnitCounts counts;
  counts.units = static_cast<std::int64_t>(units_.size());
  counts.whole = whole_;
  counts.documents = static_cast<std::int64_t>(size_);
  const auto later = std::span<const Later>(later_).first(units_.size() - size_);
  for (std::size_t number = 0; number < size_; ++number) rows_[number] = row_of(firsts_[number]);
  if (best) {
    for (std::size_t number = 0; number < size_; ++number) scores_[number] = scores[rows_[number]];
    for (const auto [place, number] : later) {
      const std::uint32_t row = row_of(place);
      if (scores[row] <= scores_[number]) continue;
      scores_[number] = scores[row];
      rows_[number] = row;
    }
  } else {
    for (std::uint32_t number = 0; number < size_; ++number) {
      const std::uint32_t place = firsts_[number];
      scores_[number] = options_.combine == Combine::first ? -static_cast<double>(place + 1) : 0;
      combined_[number] = 0;
      add(number, place, scores[rows_[number]]);
    }
    for (const auto [place, number] : later) add(number, place, scores[row_of(place)]);
  }
  for (std::uint32_t place = 0; options_.combine == Combine::sum && place < units_.size(); ++place) {
    counts.negative += scores[row_of(place)] < 0 ? 1 : 0;
  }
  for (std::size_t number = 0; !best && number < size_; ++number) {
    if (std::isnan(scores_[number])) {
      throw LimitFault({"the scores of the units of document '" + std::string(documents_[number]) +
                            "' are infinite, and have no sum",
                        "replace infinite scores, or combine units by their best"});
    }
    if (options_.combine == Combine::mean) scores_[number] /= static_cast<double>(combined_[number]);
  }
  finish();
  return counts;
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

template bool UnitMapper::group(const TextIds&, std::span<const double>);
template bool UnitMapper::group(const std::span<const std::string_view>&, std::span<const double>);
template bool UnitMapper::group(const std::vector<std::string>&, std::span<const double>);

}  // namespace rankmark
