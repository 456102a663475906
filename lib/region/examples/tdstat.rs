// SPDX-License-Identifier: MIT
//! Regions in Rust (1.77 and later): add this file to your program as the module tdstat,
//! and run the program with "tdstat regions -- ./program".
//!
//!     let region = tdstat::Region::new(c"parse");
//!     ...
//!     drop(region); // or at the end of the scope
#![allow(dead_code)]

use std::ffi::{c_char, c_int, CStr};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

#[link(name = "tdstat")]
extern "C" {
    static td_regions_on: AtomicI32;
    fn td_begin(name: *const c_char);
    fn td_end(name: *const c_char);
    fn td_thread_init() -> c_int;
    fn td_flush();
}

/// A region of the current thread. It ends when it is dropped, including by a panic.
#[must_use = "a region that is not kept in a variable ends immediately"]
pub struct Region {
    name: &'static CStr,
    of_one_thread: PhantomData<*const ()>,
}

impl Region {
    pub fn new(name: &'static CStr) -> Self {
        if is_on() {
            unsafe { td_begin(name.as_ptr()) }
        }
        Region { name, of_one_thread: PhantomData }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if is_on() {
            unsafe { td_end(self.name.as_ptr()) }
        }
    }
}

/// Opens the counters of the current thread; see tdstat-regions(3).
pub fn thread_init() -> bool {
    unsafe { td_thread_init() == 0 }
}

/// Adds the work of the current thread outside of regions up to now.
pub fn flush() {
    unsafe { td_flush() }
}

fn is_on() -> bool {
    unsafe { td_regions_on.load(Relaxed) != 0 }
}
