//! Whether the processor has the instructions, and the system lets this process use them.

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// Linux: `arch_prctl`, its request for a part of the processor's state, and the number of the tiles' data in it.
const ARCH_PRCTL: i64 = 158;
const REQUEST_STATE: u64 = 0x1023;
const TILE_DATA: u64 = 18;

/// Bits of the register that says which state the system keeps: the tiles' shapes and their data, and the registers of
/// AVX-512 with those that they are parts of.
const KEPT: u32 = 1 << 17 | 1 << 18 | 0b1110_0110;

/// Asked once in a process. A fork inherits the permission as well as this answer, and `exec` ends both.
static GRANTED: OnceLock<bool> = OnceLock::new();

pub(super) fn granted() -> bool {
    *GRANTED.get_or_init(|| processor_has_tiles() && system_keeps_registers() && system_permits())
}

/// Four registers with what the processor says about itself.
#[allow(unused_unsafe, reason = "newer versions of Rust declare the function safe")]
fn cpuid(leaf: u32, part: u32) -> [u32; 4] {
    // SAFETY: every processor of 64 bits has this instruction, and the callers ask no leaf above the greatest.
    let answer = unsafe { __cpuid_count(leaf, part) };
    [answer.eax, answer.ebx, answer.ecx, answer.edx]
}

/// Products of bytes, eight tiles of 16 rows of 64 bytes, and registers of 64 bytes, as the code of `multiply` uses
/// them.
fn processor_has_tiles() -> bool {
    let [greatest, ..] = cpuid(0, 0);
    if greatest < 0x1e {
        return false;
    }
    let [_, _, features, _] = cpuid(1, 0);
    let [_, vectors, _, more_features] = cpuid(7, 0);
    let has_state = features >> 27 & 1 == 1;
    let has_avx512 = vectors >> 16 & 1 == 1;
    let has_tiles = more_features >> 24 & 0b11 == 0b11;
    if !has_state || !has_avx512 || !has_tiles {
        return false;
    }
    let [palettes, ..] = cpuid(0x1d, 0);
    if palettes < 1 {
        return false;
    }
    let [sizes, counts, rows, _] = cpuid(0x1d, 1);
    let [_, products, ..] = cpuid(0x1e, 0);
    let (tile_bytes, row_bytes, tiles) = (sizes >> 16, counts & 0xffff, counts >> 16);
    let (most_rows, most_bytes) = (products & 0xff, products >> 8 & 0xffff);
    (tile_bytes, row_bytes, rows & 0xffff) == (1_024, 64, 16) && tiles >= 8 && (most_rows, most_bytes) == (16, 64)
}

/// Must be called on a processor that has `xgetbv`.
fn system_keeps_registers() -> bool {
    let kept: u32;
    // SAFETY: `processor_has_tiles` has seen that the system enabled this instruction, which reads a register.
    unsafe {
        asm!("xgetbv", in("ecx") 0, out("eax") kept, out("edx") _, options(nomem, nostack, preserves_flags));
    }
    kept & KEPT == KEPT
}

/// Asks Linux, which otherwise ends a process that uses a tile. It refuses if a thread has too small a stack for
/// signals to hold the tiles.
fn system_permits() -> bool {
    let refused: i64;
    // SAFETY: this call of the system changes no memory of the process. It may overwrite two registers beside that of
    // the result, which are named.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => refused,
            in("rdi") REQUEST_STATE,
            in("rsi") TILE_DATA,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    refused == 0
}
