// Whether NumPy's arrays are as they are expected, which is tried on one array of each type.
#include "values.hpp"

#include <exception>
#include <memory>

namespace rankmark {

std::atomic<const KnownArrays::Types*> KnownArrays::found_ = nullptr;

KnownArrays::Types KnownArrays::looked_for() try {
  const nb::module_ numpy = nb::module_::import_("numpy");
  auto* const type = reinterpret_cast<PyTypeObject*>(numpy.attr("ndarray").ptr());
  if (static_cast<std::size_t>(type->tp_basicsize) < sizeof(ArrayFields)) return {};
  const auto dtype_of = [&](const char* name) -> PyObject* {
    const nb::object array = numpy.attr("zeros")(3, name), dtype = numpy.attr("dtype")(name);
    const auto* const fields = reinterpret_cast<const ArrayFields*>(array.ptr());
    const auto address = nb::cast<std::uintptr_t>(array.attr("__array_interface__")["data"][nb::int_(0)]);
    const bool as_expected = Py_TYPE(array.ptr()) == type && fields->dimensions == 1 &&
                             reinterpret_cast<std::uintptr_t>(fields->data) == address &&
                             fields->dtype == dtype.ptr() && array.attr("dtype").ptr() == dtype.ptr() &&
                             fields->shape[0] == 3 && nb::cast<int>(array.attr("flags").attr("num")) == fields->flags;
    return as_expected ? nb::object(dtype).release().ptr() : nullptr;
  };
  const Types types{type,
                    dtype_of("float64"),
                    dtype_of("bool"),
                    dtype_of("int32"),
                    dtype_of("int64"),
                    nb::object(numpy.attr("empty")).release().ptr()};
  const bool all =
      types.float64 != nullptr && types.boolean != nullptr && types.int32 != nullptr && types.int64 != nullptr;
  return all ? types : Types{};
} catch (const std::exception&) {
  return {};  // then arrays are read as other libraries' are
}

const KnownArrays::Types* KnownArrays::find() noexcept {
  auto mine = std::make_unique<const Types>(looked_for());
  const Types* first = nullptr;
  return found_.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel) ? mine.release() : first;
}

}  // namespace rankmark
