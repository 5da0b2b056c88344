//! The instructions of AMX, as assembly: stable Rust has no functions for them.

mod permission;

use std::arch::asm;

use crate::tile::{LEFT, Left, Right, Split, Sums};

/// Bytes of a tile, and of its row.
const TILE: usize = 1_024;
const ROW: usize = 64;

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

/// A process that may use the instructions, on a processor that has them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amx {
    _permitted: (),
}

impl Amx {
    pub(crate) fn try_new() -> Option<Self> {
        permission::granted().then_some(Self { _permitted: () })
    }

    /// The lengths must fit, as `Tiles::multiply` checks.
    pub(crate) fn multiply(self, left: &[Split<Left>], right: &[Split<Right>], sums: &mut [[Split<Sums>; LEFT]]) {
        let (steps, panels) = (left.len() / LEFT, sums.len());
        // The loops below run at least once.
        if steps == 0 || panels == 0 {
            sums.fill([Split::default(); LEFT]);
            return;
        }
        // These hold because `Tiles::multiply` has asserted them; what follows rests on them alone.
        assert!(left.len() == steps * LEFT && right.len() == steps * panels);
        // SAFETY: the processor has the instructions and the system lets this process use them, else there were no
        // `Amx`. `ldtilecfg` reads the 64 bytes of `WHOLE`, which give each tile 16 rows of 64 bytes. So a load reads,
        // and a store writes, 1,024 bytes in steps of 64.
        // The loads of rows go through two pointers, from the start and from `steps` tiles behind it, each over `steps`
        // pairs of tiles: `left` has 2 * `steps`. That of columns goes on over `panels` times `steps` pairs: `right`
        // has as many. The stores go over `panels` times four tiles, all of `sums`. The types' sizes are asserted
        // below. Any bytes are numbers, and any integers are sums.
        // The block reads and writes no other memory and does not touch the stack. All tiles it uses are named as
        // overwritten. It ends with `tilerelease`, before anything else can run in this thread but a signal's handler,
        // for which the system keeps the tiles as it keeps other registers.
        unsafe {
            asm!(
                "ldtilecfg [{count}]",
                // For each panel: sums of high products in tiles 0 and 2, of mixed products in 1 and 3.
                "2:",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "mov {first}, {left}",
                "lea {second}, [{left} + {apart}]",
                "mov {count}, {steps}",
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
                "dec {count}",
                "jnz 3b",
                "tilestored [{sums} + {row}*1], tmm0",
                "tilestored [{sums} + {row}*1 + {tile}], tmm1",
                "tilestored [{sums} + {row}*1 + 2*{tile}], tmm2",
                "tilestored [{sums} + {row}*1 + 3*{tile}], tmm3",
                "add {sums}, 4*{tile}",
                "dec {panels}",
                "jnz 2b",
                "tilerelease",
                count = inout(reg) &raw const WHOLE => _,
                left = in(reg) left.as_ptr(),
                apart = in(reg) steps * 2 * TILE,
                steps = in(reg) steps,
                right = inout(reg) right.as_ptr() => _,
                sums = inout(reg) sums.as_mut_ptr() => _,
                panels = inout(reg) panels => _,
                row = in(reg) ROW,
                first = out(reg) _,
                second = out(reg) _,
                tile = const TILE,
                out("tmm0") _,
                out("tmm1") _,
                out("tmm2") _,
                out("tmm3") _,
                out("tmm4") _,
                out("tmm5") _,
                out("tmm6") _,
                out("tmm7") _,
                options(nostack),
            );
        }
    }
}

const _: () = {
    assert!(size_of::<Shapes>() == 64);
    assert!(size_of::<Split<Left>>() == 2 * TILE);
    assert!(size_of::<Split<Right>>() == 2 * TILE);
    assert!(size_of::<[Split<Sums>; LEFT]>() == 4 * TILE);
};
