//! The locations of the server and of this library, and files that are mapped from there.

use std::ffi::{CStr, c_char};
use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use pgrx::pg_sys;

/// Maps a file that nobody changes.
pub fn map_file(path: &Path) -> std::io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the map is read-only and private to reading. Someone who rewrites the installed file
    // in place while the server runs could change or cut what is mapped; installing replaces files
    // by new ones, and the folder is writable by the server's administrator alone.
    unsafe { Mmap::map(&file) }
}

/// Whether the postmaster loads libraries now, before there are connections.
pub fn is_being_preloaded() -> bool {
    // SAFETY: a plain global, set by the postmaster before it loads libraries.
    unsafe { pg_sys::process_shared_preload_libraries_in_progress }
}

/// The server's share folder.
pub fn share_folder() -> PathBuf {
    const MAX_PATH_BYTES: usize = pg_sys::MAXPGPATH as usize;
    let mut path = [0 as c_char; MAX_PATH_BYTES];
    // SAFETY: my_exec_path is the server's NUL-terminated path; get_share_path writes at most
    // MAXPGPATH bytes with a NUL into the buffer.
    let text = unsafe {
        pg_sys::get_share_path((&raw const pg_sys::my_exec_path).cast(), path.as_mut_ptr());
        CStr::from_ptr(path.as_ptr())
    };
    PathBuf::from(text.to_string_lossy().into_owned())
}

/// The folder that holds this library.
pub fn folder() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: asks for the library of a function that is in it; dladdr fills the struct when it gives other than 0, and
    // the name that it points to lives as long as the library is loaded.
    let path = unsafe {
        let found = libc::dladdr((folder as fn() -> Option<PathBuf> as *const ()).cast(), info.as_mut_ptr());
        let info = info.assume_init();
        if found == 0 || info.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(info.dli_fname).to_string_lossy().into_owned()
    };
    Path::new(&path).parent().map(Path::to_owned)
}
