//! Streams and events. An event that is asked for the first time is not ready: nobody may count on a device that is fast.

use crate::codes::{CAPTURED_EVENT, Code, INVALID_HANDLE, INVALID_VALUE, NOT_READY};
use crate::machine::Item;
use crate::state::{Event, Needs, Object, call, put};

#[unsafe(no_mangle)]
extern "C" fn cuStreamCreate(stream: *mut usize, flags: u32) -> Code {
    call("cuStreamCreate", &flags.to_string(), Needs::NoCapture, |state| {
        if flags > 1 || stream.is_null() {
            return Err(INVALID_VALUE);
        }
        let made = state.add(Object::Stream(None));
        put(stream, made)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamDestroy_v2(stream: usize) -> Code {
    call("cuStreamDestroy_v2", "", Needs::Context, |state| {
        state.stream(stream)?;
        // What waits on it is done all the same.
        state.objects.remove(&stream);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventCreate(event: *mut usize, flags: u32) -> Code {
    call("cuEventCreate", &flags.to_string(), Needs::Context, |state| {
        // Those between processes have no time.
        if flags > 7 || flags & 6 == 4 || event.is_null() {
            return Err(INVALID_VALUE);
        }
        let made = state.add(Object::Event(Event { without_time: flags & 2 != 0, ..Event::default() }));
        put(event, made)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventDestroy_v2(event: usize) -> Code {
    call("cuEventDestroy_v2", "", Needs::Context, |state| {
        state.event(event)?;
        state.objects.remove(&event);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecord(event: usize, stream: usize) -> Code {
    call("cuEventRecord", "", Needs::Context, |state| {
        let captures = state.stream(stream)?.is_some();
        state.tickets += 1;
        let ticket = state.tickets;
        let recorded = state.event(event)?;
        recorded.captured = captures;
        if captures {
            return Ok(());
        }
        (recorded.ticket, recorded.at, recorded.asked) = (Some(ticket), None, false);
        state.machine.submit(Item::Record { event, ticket });
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventQuery(event: usize) -> Code {
    call("cuEventQuery", "", Needs::Context, |state| {
        let asked = state.event(event)?;
        if asked.captured {
            return Err(CAPTURED_EVENT);
        }
        // What was never recorded has happened.
        if asked.ticket.is_none() || asked.at.is_some() {
            return Ok(());
        }
        if !std::mem::replace(&mut asked.asked, true) {
            return Err(NOT_READY);
        }
        state.work()?;
        if state.event(event)?.at.is_some() { Ok(()) } else { Err(NOT_READY) }
    })
}

fn elapsed(name: &'static str, milliseconds: *mut f32, start: usize, end: usize) -> Code {
    call(name, "", Needs::Context, |state| {
        let mut times = [0; 2];
        for (time, event) in times.iter_mut().zip([start, end]) {
            let event = state.event(event)?;
            if event.without_time || event.ticket.is_none() {
                return Err(INVALID_HANDLE);
            }
            *time = event.at.ok_or(NOT_READY)?;
        }
        // Half a microsecond is what events tell apart.
        let steps = (times[1] as f64 - times[0] as f64) / 500.0;
        put(milliseconds, (steps.round() * 0.5 / 1000.0) as f32)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, start: usize, end: usize) -> Code {
    elapsed("cuEventElapsedTime", milliseconds, start, end)
}

#[unsafe(no_mangle)]
extern "C" fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: usize, end: usize) -> Code {
    elapsed("cuEventElapsedTime_v2", milliseconds, start, end)
}
