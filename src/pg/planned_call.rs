//! Statements that call one function of the extension and do nothing else, seen before other libraries plan them: Citus
//! sends such a call to another node where its function is distributed, whatever the call is about.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};

use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
use pgrx::{FromDatum, pg_guard, pg_sys};

/// What the call says of an argument.
pub enum Argument {
    /// Nothing, or NULL.
    Missing,
    /// This.
    Value(String),
}

/// Decides of a call by its argument `store` whether it is planned here, past the planners of other libraries.
type Decide = fn(Argument) -> bool;

thread_local! {
    static DECIDE: Cell<Option<Decide>> = const { Cell::new(None) };
    static NEXT_PLANNER: Cell<pg_sys::planner_hook_type> = const { Cell::new(None) };
}

/// Has each call decided from now on, also in sessions to come where a postmaster asks for it. Called once, when the library
/// is loaded.
pub fn decide(decide: Decide) {
    DECIDE.set(Some(decide));
    // SAFETY: a plain global of a process that has one thread, set while libraries are loaded.
    unsafe {
        NEXT_PLANNER.set(pg_sys::planner_hook);
        pg_sys::planner_hook = Some(plan);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn plan(
    parsed: *mut pg_sys::Query,
    text: *const c_char,
    options: c_int,
    params: pg_sys::ParamListInfo,
) -> *mut pg_sys::PlannedStmt {
    // SAFETY: what the server hands to a planner goes to one planner. What another library's raises becomes a panic, as of
    // the functions that pgrx binds.
    unsafe {
        let argument = call(parsed).and_then(|call| store_of(call));
        let is_kept = argument.zip(DECIDE.get()).is_some_and(|(argument, decide)| decide(argument));
        match NEXT_PLANNER.get().filter(|_| !is_kept) {
            Some(next) => pg_guard_ffi_boundary(|| next(parsed, text, options, params)),
            None => pg_sys::standard_planner(parsed, text, options, params),
        }
    }
}

/// The call that a statement is: `SELECT f(...)` or `SELECT ... FROM f(...)`, of one of our functions.
///
/// # Safety
/// The statement is the planner's.
unsafe fn call(parsed: *const pg_sys::Query) -> Option<*const pg_sys::FuncExpr> {
    // SAFETY: as the caller says; nodes are read as what their tags say.
    unsafe {
        let parsed = parsed.as_ref()?;
        if parsed.commandType != pg_sys::CmdType::CMD_SELECT {
            return None;
        }
        let node: *const pg_sys::Node = match cells(parsed.rtable).as_slice() {
            [] => match cells(parsed.targetList).as_slice() {
                [only] => (*only.cast::<pg_sys::TargetEntry>()).expr.cast(),
                _ => return None,
            },
            [only] => {
                let entry = &*only.cast::<pg_sys::RangeTblEntry>();
                match cells(entry.functions).as_slice() {
                    [only] if entry.rtekind == pg_sys::RTEKind::RTE_FUNCTION => {
                        (*only.cast::<pg_sys::RangeTblFunction>()).funcexpr.cast()
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let call: *const pg_sys::FuncExpr = of_kind(node, pg_sys::NodeTag::T_FuncExpr)?;
        let name = pg_sys::get_func_name((*call).funcid);
        let is_ours = !name.is_null()
            && CStr::from_ptr(name).to_bytes().starts_with(b"memory_")
            && pg_sys::getExtensionOfObject(pg_sys::ProcedureRelationId, (*call).funcid)
                == pg_sys::get_extension_oid(c"memory_search".as_ptr(), true);
        is_ours.then_some(call)
    }
}

/// What a call says of its argument `store`; `None` where it has none, or one that is not known before it runs.
///
/// # Safety
/// A call of a statement that is being planned.
unsafe fn store_of(call: *const pg_sys::FuncExpr) -> Option<Argument> {
    // SAFETY: as the caller says; a named argument stands in a node of its own, with its number. A row of the cache is let
    // go before anything else is asked.
    unsafe {
        let row =
            pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::PROCOID as c_int, pg_sys::Datum::from((*call).funcid));
        if row.is_null() {
            return None;
        }
        let (mut types, mut names, mut modes) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        let count = pg_sys::get_func_arg_info(row, &mut types, &mut names, &mut modes);
        pg_sys::ReleaseSysCache(row);
        if names.is_null() {
            return None;
        }
        let number = (0..count).find(|at| CStr::from_ptr(*names.add(*at as usize)) == c"store")?;
        for (place, node) in (0..).zip(cells((*call).args)) {
            let node: *const pg_sys::Node = node.cast();
            let (of, value) = match of_kind::<pg_sys::NamedArgExpr>(node, pg_sys::NodeTag::T_NamedArgExpr) {
                Some(named) => ((*named).argnumber, (*named).arg.cast_const().cast()),
                None => (place, node),
            };
            if of == number {
                let constant: *const pg_sys::Const = of_kind(value, pg_sys::NodeTag::T_Const)?;
                let text = String::from_datum((*constant).constvalue, (*constant).constisnull);
                let is_text = (*constant).consttype == pg_sys::TEXTOID;
                return is_text.then(|| text.map_or(Argument::Missing, Argument::Value));
            }
        }
        Some(Argument::Missing)
    }
}

/// A node as what its tag says that it is.
///
/// # Safety
/// A node, or null; the kind is that of the tag.
unsafe fn of_kind<T>(node: *const pg_sys::Node, kind: pg_sys::NodeTag) -> Option<*const T> {
    // SAFETY: as the caller says.
    unsafe { node.as_ref() }.filter(|node| node.type_ == kind).map(|_| node.cast())
}

/// What a list of pointers points to.
///
/// # Safety
/// It is one, or null.
unsafe fn cells(list: *const pg_sys::List) -> Vec<*mut std::ffi::c_void> {
    // SAFETY: as the caller says; there are as many cells as the length says.
    match unsafe { list.as_ref() } {
        None => Vec::new(),
        Some(list) => (0..list.length as usize).map(|at| unsafe { (*list.elements.add(at)).ptr_value }).collect(),
    }
}
