// Which row of some rows holds an id, and whether an id stands in two of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ids.hpp"

namespace rankmark {

// The first of some hashes that equals `wanted`; their number where none does.
std::size_t find_hash(std::span<const std::uint64_t> hashes, std::uint64_t wanted) noexcept;

// Takes one lot of rows after another, keeping its memory.
//
// As a rule all ids differ, and few are asked for. Two bits of a hash, set in one of about as many words as there are
// rows, then prove nearly every id new; only where both are set already (a few rows in ten thousand) are the hashes
// looked through. Where many ids are asked for, or that happens often, a hash table takes over.
class RowsById {
 public:
  // Returns the first row whose id stood in an earlier row already; the number of rows where all ids differ, and then
  // `find` may be asked, about `questions` times. `id(row)` gives the id of a row; `hashes` are those of the ids, and
  // must stay where they are.
  template <class IdOf>
  std::size_t start(std::span<const std::uint64_t> hashes, std::size_t questions, const IdOf& id);

  // The row that holds an id, or the number of rows.
  template <class Id, class IdOf>
  std::size_t find(const Id& wanted, std::uint64_t hash, const IdOf& id);

 private:
  static constexpr std::size_t kFew = 8;  // looking through all hashes so many times costs no more than a table

  static std::uint64_t two_bits(std::uint64_t hash) noexcept {
    return std::uint64_t{1} << (hash & 63) | std::uint64_t{1} << (hash >> 6 & 63);
  }
  std::size_t word_of(std::uint64_t hash) const noexcept { return hash >> 12 & (words_.size() - 1); }

  template <class IdOf>
  std::size_t fill_table(const IdOf& id);
  template <class Id, class IdOf>
  std::size_t look_through(std::size_t end, const Id& wanted, std::uint64_t hash, const IdOf& id);

  std::span<const std::uint64_t> hashes_;
  std::vector<std::uint64_t> words_;
  HashSlots slots_;            // empty where not in use
  std::size_t looked_at_ = 0;  // hashes that were looked through
};

template <class IdOf>
std::size_t RowsById::start(std::span<const std::uint64_t> hashes, std::size_t questions, const IdOf& id) {
  hashes_ = hashes;
  looked_at_ = 0;
  slots_.clear();
  if (questions > kFew) return fill_table(id);
  words_.clear();
  words_.resize(std::bit_ceil(std::max<std::size_t>(hashes.size(), 1)));
  for (std::size_t row = 0; row < hashes.size(); ++row) {
    const std::uint64_t hash = hashes[row], bits = two_bits(hash);
    std::uint64_t& word = words_[word_of(hash)];
    if ((word & bits) == bits) [[unlikely]] {
      if (looked_at_ > kFew * hashes.size()) return fill_table(id);
      if (look_through(row, id(row), hash, id) < row) return row;
    }
    word |= bits;
  }
  return hashes.size();
}

template <class Id, class IdOf>
std::size_t RowsById::find(const Id& wanted, std::uint64_t hash, const IdOf& id) {
  if (slots_.empty()) {
    const std::uint64_t bits = two_bits(hash);
    if ((words_[word_of(hash)] & bits) != bits) return hashes_.size();
    if (looked_at_ <= kFew * hashes_.size()) return look_through(hashes_.size(), wanted, hash, id);
    fill_table(id);
  }
  const std::uint32_t row =
      slots_.find(hash, [&](std::uint32_t other) { return hashes_[other] == hash && id(other) == wanted; });
  return row == HashSlots::kFree ? hashes_.size() : row;
}

template <class IdOf>
std::size_t RowsById::fill_table(const IdOf& id) {
  const std::size_t rows = hashes_.size();
  slots_.start(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint32_t& slot = slots_.at(
        hashes_[row], [&](std::uint32_t other) { return hashes_[other] == hashes_[row] && id(other) == id(row); });
    if (slot != HashSlots::kFree) return row;
    slot = static_cast<std::uint32_t>(row);
  }
  return rows;
}

// The row before `end` that holds an id, or `end`.
template <class Id, class IdOf>
std::size_t RowsById::look_through(std::size_t end, const Id& wanted, std::uint64_t hash, const IdOf& id) {
  looked_at_ += end;
  for (std::size_t row = 0; row < end; ++row) {
    row += find_hash(hashes_.subspan(row, end - row), hash);
    if (row < end && id(row) == wanted) return row;
  }
  return end;
}

}  // namespace rankmark
