//! Makes one-dimensional arrays without nulls, and reads arrays whose elements have variable length. The memory layout
//! (PostgreSQL, utils/array.h) is a header, the number of elements, the subscript of the first one, and the elements.
//! The server's own functions process single elements, and pgrx looks up the type of each array.

use pgrx::pg_sys;

use crate::pg::datum::varlena;

const HEADER_BYTES: usize = size_of::<pg_sys::ArrayType>() + 2 * size_of::<i32>();
/// The header of a text in an array: a length in four bytes; each text begins at a multiple of four.
const TEXT_HEADER_BYTES: usize = 4;

/// An array of a type with elements of `N` bytes, which need no padding between them.
pub fn of_fixed<const N: usize>(
    element_type: pg_sys::Oid,
    elements: impl ExactSizeIterator<Item = [u8; N]>,
) -> pg_sys::Datum {
    let count = elements.len();
    // SAFETY: the payload has room for `count` elements of N bytes; each is written once, the next behind it, and
    // `take` keeps an iterator that said less than it has from more.
    unsafe {
        let (array, mut place) = allocate(element_type, count, count * N);
        for element in elements.take(count) {
            place.cast::<[u8; N]>().write_unaligned(element);
            place = place.add(N);
        }
        array
    }
}

/// text[]
pub fn of_texts(texts: &[String]) -> pg_sys::Datum {
    let padded = |text: &String| (TEXT_HEADER_BYTES + text.len()).next_multiple_of(TEXT_HEADER_BYTES);
    // SAFETY: the payload has room for all texts with their headers and padding, which are zero before they are
    // written.
    unsafe {
        let (array, mut place) = allocate(pg_sys::TEXTOID, texts.len(), texts.iter().map(padded).sum());
        for text in texts {
            pgrx::set_varsize_4b(place.cast(), (TEXT_HEADER_BYTES + text.len()) as i32);
            std::ptr::copy_nonoverlapping(text.as_ptr(), place.add(TEXT_HEADER_BYTES), text.len());
            place = place.add(padded(text));
        }
        array
    }
}

/// An array with its header, in the current memory context, and the beginning of its elements, which are zeros.
///
/// # Safety
/// The caller must write `count` elements in `payload` bytes, as arrays of this type have them.
unsafe fn allocate(element_type: pg_sys::Oid, count: usize, payload: usize) -> (pg_sys::Datum, *mut u8) {
    if count == 0 {
        // SAFETY: makes a value in the current memory context.
        let empty = unsafe { pg_sys::construct_empty_array(element_type) };
        return (pg_sys::Datum::from(empty), std::ptr::null_mut());
    }
    let size = HEADER_BYTES + payload;
    // SAFETY: what is too large is an ERROR; the header and two numbers are in the bytes before the payload.
    unsafe {
        let bytes = varlena::allocate_zeroed(size);
        let header = bytes.cast::<pg_sys::ArrayType>();
        (*header).ndim = 1;
        (*header).dataoffset = 0;
        (*header).elemtype = element_type;
        let numbers = header.add(1).cast::<i32>();
        numbers.write(count as i32);
        numbers.add(1).write(1);
        (pg_sys::Datum::from(bytes), bytes.add(HEADER_BYTES))
    }
}

/// The elements of an array of texts or vectors that are not null.
///
/// # Safety
/// The datum must be such an array, whose elements have variable length and are aligned to 4 bytes.
pub unsafe fn data_of(array: pg_sys::Datum) -> Vec<pg_sys::Datum> {
    // SAFETY: by the caller's promise; the server gives as many elements and nulls as it says.
    unsafe {
        let array = pg_sys::pg_detoast_datum(array.cast_mut_ptr()).cast::<pg_sys::ArrayType>();
        let (mut elements, mut nulls, mut count) = (std::ptr::null_mut(), std::ptr::null_mut(), 0i32);
        pg_sys::deconstruct_array(
            array,
            (*array).elemtype,
            -1,
            false,
            b'i' as core::ffi::c_char,
            &mut elements,
            &mut nulls,
            &mut count,
        );
        let all = 0..usize::try_from(count).unwrap_or(0);
        all.filter(|index| !*nulls.add(*index)).map(|index| *elements.add(index)).collect()
    }
}
