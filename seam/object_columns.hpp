// Ids that Python holds as objects, as NumPy's arrays of objects and pandas' columns do.
#pragma once

#include <optional>

#include "convert.hpp"
#include "table.hpp"

namespace rankmark {

// The ids of an array of objects as text, or none where `array` is no such array. `number` is the column's, for
// faults. Text is read where it lies, by several threads; this one holds the lock all the while, so that no Python
// code runs meanwhile and no object goes.
std::optional<TableColumn> column_of_objects(const nb::object& array, std::size_t number, int threads, Table& table);

}  // namespace rankmark
