//! The instructions of AMX, as assembly: stable Rust has no functions for them.

mod permission;

use std::arch::asm;
use std::mem::{MaybeUninit, offset_of};

use crate::product::{BYTE, Out, Panels, ROWS_AT_ONCE, Rows, Start};
use crate::tile::{COLUMNS, LEFT, Left, ROWS, Right, Split};

/// Bytes of a tile, and of its row.
const TILE: usize = 1_024;
const ROW: usize = 64;

/// Rows whose sums become numbers in each step: all 32 in the six steps of 384 numbers.
const ROWS_OF_STEP: usize = 6;

/// The shapes of the eight tiles, as `ldtilecfg` reads them.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// All tiles are whole.
static WHOLE: Shapes = Shapes {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    row_bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// What the assembly reads by one register: there are too few for all.
#[repr(C, align(64))]
struct Frame {
    /// The sums of a panel: of high products for all 32 rows, then of mixed ones.
    sums: MaybeUninit<[[[i32; COLUMNS]; ROWS_AT_ONCE]; 2]>,
    /// The unit, times 256, and the bias of each row.
    rows: [[f32; 2]; ROWS_AT_ONCE],
    /// The tiles of the first 16 rows, and of the others.
    first: *const Split<Left>,
    second: *const Split<Left>,
    steps: usize,
    /// Bytes from the numbers of a panel to those of the next.
    apart: usize,
    /// The end of the wanted rows in `rows`, in bytes.
    end: usize,
}

/// A process that may use the instructions, on a processor that has them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amx {
    _permitted: (),
}

/// The sums of the row at the offset `at` in `Frame::rows` become numbers, and `at` goes to the next row.
macro_rules! convert_row {
    () => {
        "vcvtdq2ps zmm16, [{frame} + 8*{at} + {sums}]
        vcvtdq2ps zmm17, [{frame} + 8*{at} + {sums} + 2*{tile}]
        vbroadcastss zmm18, dword ptr [{frame} + {at} + {rows}]
        vmovups zmm19 {{k1}} {{z}}, [{out} + 8*{at}]
        vmulps zmm16, zmm16, zmm20
        vmulps zmm18, zmm18, zmm21
        vaddps zmm19 {{k2}}, zmm19, dword ptr [{frame} + {at} + {rows} + 4]{{1to16}}
        vaddps zmm16, zmm16, zmm17
        vmulps zmm16, zmm16, zmm18
        vaddps zmm16, zmm16, zmm19
        vmovups [{out} + 8*{at}], zmm16
        add {at}, 8"
    };
}

impl Amx {
    pub(crate) fn try_new() -> Option<Self> {
        permission::granted().then_some(Self { _permitted: () })
    }

    /// The lengths must fit, as `Tiles::multiply` checks.
    pub(crate) fn multiply(self, rows: Rows<'_>, panels: Panels<'_>, start: Start<'_>, out: Out<'_>) {
        let (steps, count) = (rows.tiles.len() / LEFT, panels.units.len());
        // The loops below run at least once.
        if steps == 0 || count == 0 || out.rows == 0 {
            return crate::portable::multiply(rows, panels, start, out);
        }
        let mut frame = Frame {
            sums: MaybeUninit::uninit(),
            rows: rows.units.map(|unit| [unit * BYTE, 0.0]),
            first: rows.tiles.as_ptr(),
            second: rows.tiles[steps..].as_ptr(),
            steps,
            apart: out.apart * ROW,
            end: out.rows * size_of::<[f32; 2]>(),
        };
        if let Some(bias) = start.bias {
            for (row, bias) in frame.rows.iter_mut().zip(&bias[..out.rows]) {
                row[1] = *bias;
            }
        }
        // These hold because `Tiles::multiply` has asserted them; what follows rests on them alone.
        assert!(rows.tiles.len() == steps * LEFT && panels.tiles.len() == steps * count && out.rows <= ROWS_AT_ONCE);
        assert!((count - 1) * out.apart + out.rows <= out.numbers.len());
        // SAFETY: the processor has the instructions and the system lets this process use them, else there were no
        // `Amx`. `ldtilecfg` reads the 64 bytes of `WHOLE`, which give each tile 16 rows of 64 bytes. So a load reads,
        // and a store writes, 1,024 bytes in steps of 64.
        // The loads of rows go through two pointers, from the start and from `steps` tiles behind it, each over `steps`
        // pairs of tiles: `rows.tiles` has 2 * `steps`. That of columns goes on over `count` times `steps` pairs:
        // `panels.tiles` has as many. The stores of tiles go over the four tiles of `frame.sums`. The types' sizes are
        // asserted below. Any bytes are numbers, and any integers are sums.
        // Numbers are read and written for each row below `frame.end`, so for `out.rows`, of each panel: 64 bytes, of
        // which the last are those that the assertion above has seen in `out.numbers`. For each row they read as much
        // of `frame.sums`, which the stores before have filled, and 8 bytes of `frame.rows`. Units are read once for
        // each panel. In the first panel there are no sums of one before: `at` begins at the end.
        // A prefetch of memory that is not there does nothing.
        // The block reads and writes no other memory and does not touch the stack. All tiles and registers it uses are
        // named as overwritten. It ends with `tilerelease`, before anything else can run in this thread but a signal's
        // handler, for which the system keeps the tiles as it keeps other registers. The registers of 64 bytes are
        // such that no instruction of SSE has parts of, which would be slow after them.
        unsafe {
            asm!(
                "ldtilecfg [{count}]",
                "kmovw k1, {first:e}",
                "kmovw k2, {second:e}",
                "vpbroadcastd zmm20, {until:e}",
                "mov {at}, [{frame} + {end}]",
                // For each panel: sums of high products in tiles 0 and 2, of mixed products in 1 and 3.
                "2:",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "mov {first}, [{frame} + {of_first}]",
                "mov {second}, [{frame} + {of_second}]",
                "mov {count}, [{frame} + {steps}]",
                // For each step: loads of what no product waits for are between products, so that both go on.
                "3:",
                "tileloadd tmm6, [{right} + {row}*1]",
                "tileloadd tmm4, [{first} + {row}*1]",
                "tileloadd tmm7, [{right} + {row}*1 + {tile}]",
                "tdpbssd tmm1, tmm4, tmm7",
                "tdpbssd tmm0, tmm4, tmm6",
                "tileloadd tmm4, [{first} + {row}*1 + {tile}]",
                "tileloadd tmm5, [{second} + {row}*1]",
                "tdpbssd tmm3, tmm5, tmm7",
                "tdpbssd tmm2, tmm5, tmm6",
                "tdpbssd tmm1, tmm4, tmm6",
                "tileloadd tmm5, [{second} + {row}*1 + {tile}]",
                "tdpbssd tmm3, tmm5, tmm6",
                "add {first}, 2*{tile}",
                "add {second}, 2*{tile}",
                "add {right}, 2*{tile}",
                // The rows behind these, which mostly come next, on their way to the second cache: spread, because
                // loads of tiles wait for many at once.
                "prefetcht1 [{ahead}]",
                "prefetcht1 [{ahead} + {row_bytes}]",
                "prefetcht1 [{ahead} + 2*{row_bytes}]",
                "prefetcht1 [{ahead} + 3*{row_bytes}]",
                "add {ahead}, 4*{row_bytes}",
                // Meanwhile some sums of the panel before become numbers: other units of the processor do it.
                "lea {until}, [{at} + 8*{rows_of_step}]",
                "cmp {until}, [{frame} + {end}]",
                "cmova {until}, [{frame} + {end}]",
                "cmp {at}, {until}",
                "jae 5f",
                "4:",
                convert_row!(),
                "cmp {at}, {until}",
                "jb 4b",
                "5:",
                "dec {count}",
                "jnz 3b",
                // The others of its sums, if there were few steps.
                "cmp {at}, [{frame} + {end}]",
                "jae 7f",
                "6:",
                convert_row!(),
                "cmp {at}, [{frame} + {end}]",
                "jb 6b",
                "7:",
                "tilestored [{frame} + {row}*1 + {sums}], tmm0",
                "tilestored [{frame} + {row}*1 + {sums} + 2*{tile}], tmm1",
                "tilestored [{frame} + {row}*1 + {sums} + {tile}], tmm2",
                "tilestored [{frame} + {row}*1 + {sums} + 3*{tile}], tmm3",
                "vmovups zmm21, [{units}]",
                "add {units}, {row}",
                "add {out}, [{frame} + {apart}]",
                "xor {at:e}, {at:e}",
                "dec {panels}",
                "jnz 2b",
                "8:",
                convert_row!(),
                "cmp {at}, [{frame} + {end}]",
                "jb 8b",
                "tilerelease",
                count = inout(reg) &raw const WHOLE => _,
                frame = in(reg) &raw mut frame,
                right = inout(reg) panels.tiles.as_ptr() => _,
                units = inout(reg) panels.units.as_ptr() => _,
                // One panel before the first: the step to a panel's numbers is before they are written.
                out = inout(reg) out.numbers.as_mut_ptr().wrapping_sub(out.apart) => _,
                panels = inout(reg) count => _,
                row = in(reg) ROW,
                first = inout(reg) all_lanes(start.out) => _,
                second = inout(reg) all_lanes(start.bias.is_some()) => _,
                at = out(reg) _,
                ahead = inout(reg) rows.tiles.as_ptr_range().end => _,
                until = inout(reg) u64::from(BYTE.to_bits()) => _,
                tile = const TILE,
                row_bytes = const ROW,
                rows_of_step = const ROWS_OF_STEP,
                sums = const offset_of!(Frame, sums),
                rows = const offset_of!(Frame, rows),
                of_first = const offset_of!(Frame, first),
                of_second = const offset_of!(Frame, second),
                steps = const offset_of!(Frame, steps),
                apart = const offset_of!(Frame, apart),
                end = const offset_of!(Frame, end),
                out("tmm0") _,
                out("tmm1") _,
                out("tmm2") _,
                out("tmm3") _,
                out("tmm4") _,
                out("tmm5") _,
                out("tmm6") _,
                out("tmm7") _,
                out("zmm16") _,
                out("zmm17") _,
                out("zmm18") _,
                out("zmm19") _,
                out("zmm20") _,
                out("zmm21") _,
                out("k1") _,
                out("k2") _,
                options(nostack),
            );
        }
    }
}

/// A mask of all 16 lanes, or of none.
fn all_lanes(all: bool) -> u64 {
    if all { 0xffff } else { 0 }
}

const _: () = {
    assert!(size_of::<Shapes>() == 64);
    assert!(size_of::<Split<Left>>() == 2 * TILE);
    assert!(size_of::<Split<Right>>() == 2 * TILE);
    assert!(size_of::<[[i32; COLUMNS]; ROWS_AT_ONCE]>() == LEFT * TILE && LEFT == 2);
    assert!(size_of::<[f32; COLUMNS]>() == ROW && size_of::<[[f32; COLUMNS]; ROWS]>() == TILE);
};
