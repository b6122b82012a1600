//! `pltpu.make_async_copy` and its kin: descriptions of copies that are started and waited for. The data moves when the
//! kernel runs; see `pallas-interpret`.

use super::device::device;
use super::semaphores::kernel;
use crate::context::Context;
use crate::held;
use crate::lax::control;
use crate::pallas::semaphore::SemaphoreKind;
use crate::refs::RefObject;
use crate::tree;
use pallas_ir::{Attribute, Attributes, Op, OpDef, Type, ValueId, ops};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::Shape;
use std::rc::Rc;

/// Rows of `pltpu`.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "make_async_copy",
        signature: "(src_ref, dst_ref, sem)",
        doc: "Describes a copy; `.start()` starts it, `.wait()` waits until it has arrived.",
        run: |_interp, args| {
            let [source, destination, semaphore] = args.take();
            Ok(Value::object(Descriptor::local(source, destination, semaphore)))
        },
    },
    NativeDef {
        name: "async_copy",
        signature: "(src_ref, dst_ref, sem, *, priority=0, add=False)",
        doc: "Starts a copy and returns its description.",
        run: |interp, args| {
            let [source, destination, semaphore, priority, add] = args.take();
            let copy = Descriptor::local(source, destination, semaphore);
            copy.start(&Context::jax(interp), &priority, &add)?;
            Ok(Value::object(copy))
        },
    },
    NativeDef {
        name: "make_async_remote_copy",
        signature: "(src_ref, dst_ref, send_sem, recv_sem, device_id, device_id_type=...)",
        doc: "Describes a copy to another device.",
        run: |interp, args| Descriptor::remote(interp, args).map(Value::object),
    },
    NativeDef {
        name: "async_remote_copy",
        signature: "(src_ref, dst_ref, send_sem, recv_sem, device_id, device_id_type=...)",
        doc: "Starts a copy to another device and returns its description.",
        run: |interp, args| {
            let copy = Descriptor::remote(interp, args)?;
            copy.start(&Context::jax(interp), &Value::from(0i64), &Value::Bool(false))?;
            Ok(Value::object(copy))
        },
    },
    NativeDef {
        name: "sync_copy",
        signature: "(src_ref, dst_ref, *, add=False)",
        doc: "Copies a Ref, or a pytree of Refs, and waits until the copies have arrived.",
        run: sync_copy,
    },
];

/// A copy that may be started and waited for.
pub struct Descriptor {
    source: Value,
    destination: Value,
    /// The semaphore that counts what has arrived.
    arrived: Value,
    /// Of copies to other devices: the semaphore that counts what has been sent, the device, and how it is counted.
    remote: Option<[Value; 3]>,
}

/// Where programs find the class of copies, for annotations.
pub static PRIVATE_MODULE: ModuleDef = ModuleDef {
    name: "jax._src.pallas.mosaic.primitives",
    doc: "Copies.",
    functions: FUNCTIONS,
    populate: |interp, namespace| {
        namespace.insert(Name::from("AsyncCopyDescriptor"), Value::Class(interp.native_class(&CLASS)));
    },
};

static CLASS: NativeClass = NativeClass {
    name: "AsyncCopyDescriptor",
    module: "jax._src.pallas.mosaic.primitives",
    doc: "A copy that can be started and waited for.",
    methods: &[
        NativeDef {
            name: "start",
            signature: "(self, priority=0, *, add=False)",
            doc: "Starts the copy.",
            run: |interp, args| {
                let [this, priority, add] = args.take();
                with(interp, &this, |cx, copy| copy.start(cx, &priority, &add))
            },
        },
        NativeDef {
            name: "wait",
            signature: "(self)",
            doc: "Waits until the copy has been sent and has arrived.",
            run: |interp, args| {
                with(interp, args.get(0), |cx, copy| {
                    if copy.remote.is_some() {
                        copy.wait(cx, true)?;
                    }
                    copy.wait(cx, false)
                })
            },
        },
        NativeDef {
            name: "wait_recv",
            signature: "(self)",
            doc: "Waits until the copy has arrived.",
            run: |interp, args| with(interp, args.get(0), |cx, copy| copy.wait(cx, false)),
        },
        NativeDef {
            name: "wait_send",
            signature: "(self)",
            doc: "Waits until the copy has been sent: its source may be written again.",
            run: |interp, args| with(interp, args.get(0), |cx, copy| copy.wait(cx, true)),
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn with(interp: &Interp, this: &Value, act: impl FnOnce(&Context<'_>, &Descriptor) -> PyResult<()>) -> PyResult<Value> {
    match this.downcast::<Descriptor>() {
        Some(copy) => act(&Context::jax(interp), copy).map(|()| Value::None),
        None => Err(interp.type_error("expected an AsyncCopyDescriptor")),
    }
}

impl Descriptor {
    fn local(source: Value, destination: Value, arrived: Value) -> Descriptor {
        Descriptor { source, destination, arrived, remote: None }
    }

    fn remote(interp: &Interp, args: Arguments) -> PyResult<Descriptor> {
        let [source, destination, sent, arrived, id, kind] = args.take();
        if sent.is_none() != id.is_none() {
            return Err(interp.value_error("Either both or neither `src_sem` and `device_id` can be set."));
        }
        let remote = (!sent.is_none()).then_some([sent, id, kind]);
        Ok(Descriptor { source, destination, arrived, remote })
    }

    /// Stages the start.
    fn start(&self, cx: &Context<'_>, priority: &Value, add: &Value) -> PyResult<()> {
        let mut attributes = Attributes::none();
        let priority = cx.interp.to_i64(priority)?;
        if priority != 0 {
            attributes = attributes.with("priority", Attribute::Int(priority));
        }
        if cx.interp.truth(add)? {
            attributes = attributes.with("add", Attribute::Bool(true));
        }
        self.stage(cx, &ops::COPY_START, attributes)
    }

    /// Stages the wait for what arrives, or for what is sent.
    fn wait(&self, cx: &Context<'_>, send: bool) -> PyResult<()> {
        let mut attributes = Attributes::none();
        if send {
            if self.remote.is_none() {
                return Err(cx.interp.value_error("Cannot `wait_send` on a local copy."));
            }
            attributes = attributes.with("send", Attribute::Bool(true));
        }
        self.stage(cx, &ops::COPY_WAIT, attributes)
    }

    fn stage(&self, cx: &Context<'_>, op: &'static OpDef, mut attributes: Attributes) -> PyResult<()> {
        let trace = kernel(cx, op.name)?;
        let mut operands =
            vec![reference(cx, &self.source)?, reference(cx, &self.destination)?, reference(cx, &self.arrived)?];
        if let Some([sent, id, kind]) = &self.remote {
            operands.push(reference(cx, sent)?);
            attributes = attributes.with("remote", Attribute::Bool(true));
            if let Some(device) = device(cx, &trace, id, kind)? {
                operands.extend(&device.ids);
                attributes = attributes.with("device", Attribute::Str(device.kind.into()));
                if let Some(core) = device.core {
                    operands.push(core);
                    attributes = attributes.with("core", Attribute::Bool(true));
                }
            }
        }
        trace.add(cx, Op(op), &operands, attributes, &[])?;
        Ok(())
    }
}

/// A Ref as an operand of a copy.
fn reference(cx: &Context<'_>, value: &Value) -> PyResult<ValueId> {
    if let Some(inside) = held::in_core(cx, value) {
        return reference(cx, &inside);
    }
    match value.downcast::<RefObject>() {
        Some(reference) => reference.operand(cx),
        None => Err(cx.interp.error_with(
            &cx.interp.types().value_error,
            "DMA source/destination/semaphore arguments must be Refs.".to_string(),
            Diagnosis {
                code: "PL321",
                help: Some("pass the Ref itself or a view of it (`ref.at[...]`), not a value read from it".to_string()),
                ..Diagnosis::default()
            },
        )),
    }
}

/// As jax/_src/pallas/mosaic/helpers.py: all copies are started, then all are waited for, on a semaphore of their own.
fn sync_copy(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [source, destination, add] = args.take();
    let cx = Context::jax(interp);
    let (sources, tree) = tree::flatten(interp, &source, None)?;
    let (destinations, other) = tree::flatten(interp, &destination, None)?;
    if sources.is_empty() {
        return Ok(Value::None);
    }
    if !tree.same(&other, interp)? {
        return Err(interp.value_error(format!(
            "the sources and destinations of a copy must be pytrees of one structure, got {} and {}",
            tree.text(interp)?,
            other.text(interp)?
        )));
    }
    let semaphore = Type::Ref(SemaphoreKind::Dma.reference(Shape::default()));
    control::staged(&cx, "sync_copy", |trace| {
        let (region, ()) = trace.in_region(&[semaphore], |values| {
            let semaphore = values.first().and_then(|&value| RefObject::new(trace, value)).map(Value::object);
            let semaphore = semaphore.ok_or_else(|| interp.runtime_error("a copy has no semaphore"))?;
            let copies: Vec<Descriptor> = sources
                .iter()
                .zip(&destinations)
                .map(|(from, to)| Descriptor::local(from.clone(), to.clone(), semaphore.clone()))
                .collect();
            for copy in &copies {
                copy.start(&cx, &Value::from(0i64), &add)?;
            }
            for copy in &copies {
                copy.wait(&cx, false)?;
            }
            Ok((Vec::new(), ()))
        })?;
        trace.add(&cx, Op(&ops::SCOPED), &[], Attributes::none(), &[region])?;
        Ok(Vec::new())
    })?;
    Ok(Value::None)
}

impl Object for Descriptor {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        let remote = |position: usize| self.remote.as_ref().map_or(Value::None, |parts| parts[position].clone());
        Ok(Some(match name {
            "src_ref" => self.source.clone(),
            "dst_ref" => self.destination.clone(),
            "dst_sem" => self.arrived.clone(),
            "src_sem" => remote(0),
            "device_id" => remote(1),
            "device_id_type" => remote(2),
            "is_remote" => Value::Bool(self.remote.is_some()),
            _ => return Ok(None),
        }))
    }
}
