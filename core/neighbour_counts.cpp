// Rows of true and found neighbours compared by id.
#include "neighbour_counts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "parallel.hpp"

namespace rankmark {
namespace {

constexpr std::size_t kRowsAtATime = 512;

// The ids of one row at a time: hashed, with linear probing. What earlier rows left there counts as empty.
template <class Id>
class RowTable {
 public:
  RowTable(std::size_t ids, std::size_t columns)
      : shift_(64 - static_cast<int>(std::bit_width(std::max<std::size_t>(room(ids) * ids, 2) - 1))),
        step_(static_cast<std::uint32_t>(columns + 1)),
        slots_(std::size_t{1} << (64 - shift_)) {}

  struct Slot {
    Id id;
    std::uint32_t mark;
  };

  // The table while one row is counted; what it needs is copied, so that it stays in registers.
  class Row {
   public:
    // Marks: what is less is empty, `seen` is an id that was found, and seen + n is one that stands in the n-th column
    // of the true ones.
    const std::uint32_t seen;

    // Where an id is, or where it belongs.
    Slot& at(Id id) const noexcept {
      auto number = static_cast<std::size_t>((static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u) >> shift_);
      while (slots_[number].mark >= seen && slots_[number].id != id) number = (number + 1) & mask_;
      return slots_[number];
    }

   private:
    friend class RowTable;
    Row(std::uint32_t seen, Slot* slots, std::size_t mask, int shift)
        : seen(seen), slots_(slots), mask_(mask), shift_(shift) {}

    Slot* const slots_;
    const std::size_t mask_;
    const int shift_;
  };

  Row next_row() noexcept {
    if (std::numeric_limits<std::uint32_t>::max() - seen_ < 2 * step_) {
      std::ranges::fill(slots_, Slot{});
      seen_ = 0;
    }
    seen_ += seen_ == 0 ? 1 : step_;
    return Row(seen_, slots_.data(), slots_.size() - 1, shift_);
  }

 private:
  // In slots an id. Few ids get so many that they hardly ever meet; it still fits into the processor's first cache.
  static std::size_t room(std::size_t ids) noexcept { return ids <= 256 ? 8 : 2; }

  int shift_;
  std::uint32_t step_, seen_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace

template <class Id>
NeighbourCounts count_neighbours(const NeighbourRows<Id>& truth, const NeighbourRows<Id>& found, std::size_t k,
                                 std::optional<Id> padding, std::span<const std::int64_t> ends, bool want_first,
                                 int threads, const Poll& poll) {
  const std::size_t rows = truth.rows, places = std::min(k, found.columns);
  NeighbourCounts counts;
  for (auto* column :
       {&counts.hits, &counts.tied, &counts.expected, &counts.found, &counts.repeated, &counts.true_repeated}) {
    column->resize(rows);
  }
  if (want_first) counts.first.resize(rows * places);
  const std::size_t longest = ends.empty() ? k : static_cast<std::size_t>(std::ranges::max(ends));

  // Plain is what needs no more than hits.
  const bool is_plain = ends.empty() && !want_first;
  const auto count_row = [&]<bool kPlain>(RowTable<Id>& table, std::size_t row) {
    // Copies of what is the same for all rows, so that the loops need not read it again after each write.
    const bool may_be_empty = padding.has_value();
    const Id empty = padding.value_or(Id{});
    const auto ids = table.next_row();
    const std::uint32_t seen = ids.seen, last = static_cast<std::uint32_t>(k);
    // Adds true ones, and says how many places are empty and how many repeat an id.
    const auto add = [=, &truth](std::size_t begin, std::size_t end) {
      std::int32_t empty_places = 0, repeated = 0;
      const Id* const of_truth = truth.row(row).data();
      for (std::size_t column = begin; column < end; ++column) {
        const Id id = of_truth[column];
        if (may_be_empty && id == empty) {
          ++empty_places;
          continue;
        }
        auto& slot = ids.at(id);
        if (slot.mark >= seen) {
          ++repeated;
        } else {
          slot = {id, seen + static_cast<std::uint32_t>(column) + 1};
        }
      }
      return std::pair(empty_places, repeated);
    };
    const auto [empty_places, true_repeated] = add(0, k);
    const std::int32_t expected = static_cast<std::int32_t>(k) - empty_places - true_repeated;
    const auto end = ends.empty() ? last : static_cast<std::uint32_t>(ends[row]);
    add(k, end);

    const Id* const of_found = found.row(row).data();
    std::uint8_t* const first = want_first ? counts.first.data() + row * places : nullptr;
    std::int32_t hits = 0, after = 0, distinct = 0, repeated = 0;
    for (std::size_t column = 0; column < places; ++column) {
      const Id id = of_found[column];
      if (may_be_empty && id == empty) continue;
      auto& slot = ids.at(id);
      // From 0 for the nearest; what is empty or was found is more than there are columns.
      const std::uint32_t place = slot.mark - seen - 1;
      const bool is_again = slot.mark == seen;
      slot = {id, seen};
      hits += place < last;
      ++distinct;
      repeated += is_again;
      if constexpr (!kPlain) {
        after += place >= last && place < end;
        if (first != nullptr) first[column] = !is_again;
      }
    }
    distinct -= repeated;
    const std::int32_t tied = hits + after;
    counts.hits[row] = hits;
    counts.tied[row] = tied;
    counts.expected[row] = expected;
    counts.found[row] = distinct;
    counts.repeated[row] = repeated;
    counts.true_repeated[row] = true_repeated;
  };

  const std::size_t pieces = (rows + kRowsAtATime - 1) / kRowsAtATime;
  share_out(pieces, threads, poll, [&] {
    return [&, table = RowTable<Id>(longest + places, longest)](std::uint64_t piece) mutable {
      const std::size_t begin = static_cast<std::size_t>(piece) * kRowsAtATime;
      for (std::size_t row = begin; row < std::min(begin + kRowsAtATime, rows); ++row) {
        if (is_plain) {
          count_row.template operator()<true>(table, row);
        } else {
          count_row.template operator()<false>(table, row);
        }
      }
    };
  });
  return counts;
}

template NeighbourCounts count_neighbours(const NeighbourRows<std::int32_t>&, const NeighbourRows<std::int32_t>&,
                                          std::size_t, std::optional<std::int32_t>, std::span<const std::int64_t>, bool,
                                          int, const Poll&);
template NeighbourCounts count_neighbours(const NeighbourRows<std::int64_t>&, const NeighbourRows<std::int64_t>&,
                                          std::size_t, std::optional<std::int64_t>, std::span<const std::int64_t>, bool,
                                          int, const Poll&);

}  // namespace rankmark
