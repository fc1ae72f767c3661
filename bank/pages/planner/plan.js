/**
 * What one GPU holds at its peak, sends, and takes time for in a training step: `bank/evidence/plans.py` for the browser.
 * Both are held to the same numbers by a test. A quantity knows the factors that it is made of, for the page to show.
 *
 * @typedef {"ddp" | "zero1" | "zero2" | "zero3" | "fsdp" | "fsdp-kept" | "hsdp"} Strategy
 * @typedef {{
 *   layers: number, hidden: number, mlp: number, heads: number, kv_heads: number, vocabulary: number, gated: boolean,
 *   tied: boolean, experts: number, active_experts: number, gpus: number, node_gpus: number, memory: number, peak: number,
 *   fp32_peak: number, utilization: number, node_bandwidth: number, network_bandwidth: number, latency: number,
 *   strategy: Strategy, tensor: number, pipeline: number, optimizer: "sgd" | "momentum" | "adamw",
 *   fused_optimizer: boolean, precision: "mixed" | "bf16" | "fp32", reduction: "fp32" | "bf16", sequences: number,
 *   length: number, micro_batches: number, recompute: "none" | "selective" | "full", fused_attention: boolean,
 * }} Plan
 * @typedef {[value: number, name: string, divides?: true]} Factor
 * @typedef {{ value: number, terms: Factor[][] }} Quantity
 * @typedef {"parameters" | "gradients" | "optimizer" | "gathered" | "whole_gradients" | "activations" | "logits" | "temporaries"} Kind
 * @typedef {Partial<Record<Kind, Quantity>>} Held
 * @typedef {"gather" | "again" | "reduce" | "across" | "tensor" | "pipeline"} Route
 * @typedef {"forward" | "backward" | "idle"} Span
 */

const GB = 1e9;
const STAGES = { ddp: 0, zero1: 1, zero2: 2, zero3: 3, fsdp: 3, "fsdp-kept": 3, hsdp: 3 };
const MOMENTS = { sgd: 0, momentum: 1, adamw: 2 };

/** @param {...Factor[]} terms @returns {Quantity} */
function quantity(...terms) {
  const there = terms.filter((term) => term.every(([value]) => value !== 0));
  const product = (/** @type {Factor[]} */ term) =>
    term.reduce((all, [value, , divides]) => (divides ? all / value : all * value), 1);
  return { value: there.reduce((sum, term) => sum + product(term), 0), terms: there };
}

/** Sizes that follow from a plan. @param {Plan} plan */
export function sizes(plan) {
  const native = ["fsdp", "fsdp-kept", "hsdp"].includes(plan.strategy);
  const data = Math.floor(plan.gpus / (plan.tensor * plan.pipeline));
  const inNode = Math.min(data, Math.max(1, Math.floor(plan.node_gpus / plan.tensor)));
  const shards = plan.strategy === "hsdp" ? inNode : plan.strategy === "ddp" ? 1 : data;
  const matrix = plan.hidden * plan.mlp * (plan.gated ? 3 : 2);
  const attention = 2 * plan.hidden ** 2 + 2 * plan.hidden * Math.floor((plan.hidden * plan.kv_heads) / plan.heads);
  const router = plan.experts > 1 ? plan.experts * plan.hidden : 0;
  const block = attention + plan.experts * matrix + router + 2 * plan.hidden;
  const table = plan.vocabulary * plan.hidden;
  const compute = plan.precision === "fp32" ? 4 : 2;
  const fp32Shards = native && plan.precision === "mixed";
  const moments = MOMENTS[plan.optimizer];
  const master = plan.precision === "mixed" ? 4 + 4 * moments : compute * moments;
  return {
    native,
    data,
    shards,
    /** GPUs that reduce and gather together. */
    ring: plan.strategy === "ddp" ? data : shards,
    replicas: Math.floor(data / shards),
    block,
    active: block - (plan.experts - plan.active_experts) * matrix,
    table,
    parameters: plan.layers * block + (plan.tied ? 1 : 2) * table + plan.hidden,
    layers: Math.ceil(plan.layers / plan.pipeline),
    unit: block / plan.tensor,
    tokens: plan.sequences * plan.length,
    compute,
    reduce: plan.precision === "mixed" && plan.reduction === "fp32" ? 4 : compute,
    /** Of what the optimizer updates. */
    updated: plan.precision === "mixed" ? 4 : compute,
    /** Bytes a parameter at rest. */
    widths: fp32Shards
      ? { parameter: 4, gradient: 4, optimizer: 4 * moments }
      : { parameter: compute, gradient: compute, optimizer: master },
    accumulates: native && plan.pipeline > 1,
    moments,
  };
}

/** Parameters of embedding, last norm and head on a stage. @param {Plan} plan @param {boolean} first @param {boolean} last */
function ends(plan, first, last) {
  const tables = first && last && plan.tied ? 1 : Number(first) + Number(last);
  return (tables * sizes(plan).table + Number(last) * plan.hidden) / plan.tensor;
}

/**
 * Bytes that a layer stores of a token.
 * @param {Plan} plan @param {Plan["recompute"]} recompute @returns {Quantity}
 */
export function stored(plan, recompute) {
  const { compute } = sizes(plan);
  if (recompute === "full")
    return quantity([
      [compute, "B"],
      [plan.hidden, "wide"],
    ]);
  const mlp = plan.mlp * plan.active_experts;
  const key = (plan.hidden * plan.kv_heads) / plan.heads;
  const numbers =
    recompute === "none"
      ? 6 * plan.hidden + 2 * key + (plan.gated ? 4 : 2) * mlp
      : 3 * plan.hidden + key + mlp + (plan.gated ? plan.hidden : 0);
  const fused = plan.fused_attention || recompute !== "none";
  return quantity(
    [
      [compute, "B"],
      [numbers, "numbers"],
    ],
    [
      [fused ? 4 : compute, "B"],
      [plan.heads, "heads"],
      [fused ? 1 : plan.length, "long"],
    ],
  );
}

/** What a GPU of a stage holds at each moment that can be the peak. @param {Plan} plan @param {boolean} first @param {boolean} last @returns {Record<string, Held>} */
function moments(plan, first, last) {
  const s = sizes(plan);
  const root = ends(plan, first, last);
  const local = s.layers * s.unit + root;
  const stage = STAGES[plan.strategy];
  const copies = s.shards > 1 || s.native;
  /** @param {number} from @returns {Factor} */
  const over = (from) => [stage > from ? s.shards : 1, "GPUs", true];
  /** @type {(width: number, of?: number) => Factor[]} */
  const bytes = (width, of = local) => [
    [width, "B"],
    [of, "parameters"],
  ];
  const parameters = quantity([...bytes(s.widths.parameter), over(2)]);
  const optimizer = quantity([...bytes(s.widths.optimizer), over(0)]);
  const gradients = quantity([...bytes(s.widths.gradient), over(1)]);
  const reducedBefore = plan.micro_batches > 1 && !s.accumulates;
  const early = reducedBefore ? gradients : quantity();
  const kept = plan.strategy === "fsdp-kept" ? s.layers : 0;
  const units = Math.max(kept, Math.min(s.shards > 1 ? 2 : 1, s.layers));
  const whole = stage > 2 && copies;
  const split = stage > 1 && copies;
  const reduced = s.compute + s.reduce * (s.shards > 1 ? 1 : 2);
  /** @param {number} units @returns {Quantity} */
  const gathered = (units) =>
    whole
      ? quantity(
          [
            [s.compute, "B"],
            [root, "of the root"],
          ],
          [
            [s.compute, "B"],
            [units, "layers"],
            [s.unit, "parameters"],
          ],
        )
      : quantity();
  /** @param {...Factor[]} terms */
  const buffers = (...terms) => (split ? quantity(...terms, ...(s.accumulates ? [bytes(s.reduce)] : [])) : quantity());

  const inFlight = last ? 1 : Math.min(plan.pipeline, plan.micro_batches);
  /** @type {Factor} */
  const tensor = [plan.tensor, "tensor ranks", true];
  /** @type {Factor[]} */
  const layers = [
    [s.layers, "layers"],
    ...(inFlight > 1 ? [/** @type {Factor} */ ([inFlight, "micro-batches"])] : []),
    [s.tokens, "tokens"],
    [stored(plan, plan.recompute).value, "B"],
    tensor,
  ];
  /** @type {Factor[]} */
  const outside = [
    [Number(last) * 2, "outside the layers"],
    [s.compute, "B"],
    [s.tokens, "tokens"],
    [plan.hidden, "wide"],
    tensor,
  ];
  /** @type {Factor[]} */
  const again = [
    [s.tokens, "tokens"],
    [stored(plan, "none").value - stored(plan, plan.recompute).value, "B recomputed"],
    tensor,
  ];
  const head = last ? s.table / plan.tensor : 0;

  /** @type {Record<string, Held>} */
  const found = {
    backward: {
      gradients: early,
      gathered: gathered(units),
      whole_gradients: buffers(
        [
          [s.compute, "B"],
          [head, "of the head"],
        ],
        bytes(reduced, s.unit),
      ),
      activations: quantity(layers, outside, again),
    },
    end: {
      gradients: reducedBefore || !split ? gradients : quantity([...bytes(s.widths.gradient, local - root), over(1)]),
      whole_gradients: buffers([
        [reduced, "B"],
        [root, "of the root"],
      ]),
    },
    step: {
      gradients,
      temporaries: s.moments === 2 && !plan.fused_optimizer ? quantity([...bytes(s.updated), over(0)]) : quantity(),
    },
  };
  if (last)
    found.loss = {
      gradients: early,
      gathered: gathered(kept),
      whole_gradients: buffers(),
      activations: quantity(layers, outside),
      logits: quantity([[3, "copies"], [4, "B"], [s.tokens, "tokens"], [plan.vocabulary, "words"], tensor]),
    };
  return Object.fromEntries(Object.entries(found).map(([name, held]) => [name, { parameters, optimizer, ...held }]));
}

/** @param {Held} held */
const total = (held) => Object.values(held).reduce((sum, part) => sum + part.value, 0);

/** The moment at which the fullest GPU holds most. @param {Plan} plan @returns {{ moment: string, held: Held, total: number }} */
export function peak(plan) {
  const stages =
    plan.pipeline === 1
      ? [[true, true]]
      : [
          [true, false],
          [false, true],
        ];
  const every = stages.flatMap(([first, last]) => Object.entries(moments(plan, !!first, !!last)));
  const found = every.map(([moment, held]) => ({ moment, held, total: total(held) }));
  return found.reduce((most, other) => (other.total > most.total ? other : most));
}

/** How often in a step the parameters are gathered, and gathered again for backward, and gradients are reduced. @param {Plan} plan */
function rounds(plan) {
  const steps = plan.micro_batches;
  const once = sizes(plan).accumulates ? 1 : steps;
  const [gathers, again, reductions] = {
    ddp: [0, 0, 1],
    zero1: [1, 0, 1],
    zero2: [1, 0, steps],
    zero3: [steps, steps, steps],
    "fsdp-kept": [once, 0, once],
    fsdp: [steps, steps, once],
    hsdp: [steps, steps, once],
  }[plan.strategy];
  return { gathers, again, reductions };
}

/** Bytes that a GPU sends in a step. @param {Plan} plan @returns {Record<Route, Quantity>} */
export function traffic(plan) {
  const s = sizes(plan);
  const root = ends(plan, plan.pipeline === 1, true);
  const local = s.layers * s.unit + root;
  const { gathers, again, reductions } = rounds(plan);
  /** The part of a ring. @param {number} ranks @returns {Factor[]} */
  const ring = (ranks) => [
    [ranks - 1, ""],
    [ranks, "GPUs", true],
  ];
  /** @type {(times: number, name: string, width: number, of: number) => Quantity} */
  const pass = (times, name, width, of) => quantity([[times, name], [width, "B"], [of, "parameters"], ...ring(s.ring)]);
  /** @type {Factor[]} */
  const passed = [
    [s.compute, "B"],
    [s.tokens, "tokens"],
    [plan.hidden, "wide"],
  ];
  return {
    gather: pass(gathers, "times", s.compute, local),
    again: pass(again, "times", s.compute, plan.strategy === "zero3" ? local : local - root),
    reduce: pass(reductions * directions(plan), plan.strategy === "ddp" ? "passes" : "times", s.reduce, local),
    across: quantity([
      [2 * reductions, "passes"],
      [s.reduce, "B"],
      [local, "parameters"],
      [s.shards, "GPUs of a shard group", true],
      ...ring(groups(plan)),
    ]),
    tensor: quantity([
      [plan.micro_batches, "micro-batches"],
      [s.layers, "layers"],
      [tensorPasses(plan), "passes"],
      ...passed,
      ...ring(plan.tensor),
    ]),
    pipeline: quantity([
      [plan.micro_batches, "micro-batches"],
      [ways(plan), "ways"],
      ...passed,
      [plan.tensor, "tensor ranks", true],
    ]),
  };
}

/** An all-reduce goes around twice. @param {Plan} plan */
const directions = (plan) => (plan.strategy === "ddp" ? 2 : 1);

/** Shard groups that reduce among each other. @param {Plan} plan */
const groups = (plan) => (plan.strategy === "hsdp" ? sizes(plan).replicas : 1);

/** Gathers and reduce-scatters of a layer. @param {Plan} plan */
const tensorPasses = (plan) => (plan.recompute === "full" ? 14 : 10);

/** Activations on, gradients back: of two stages each sends one of them. @param {Plan} plan */
const ways = (plan) => Math.min(2, plan.pipeline - 1);

/** Steps of rings in a row. @param {Plan} plan @returns {Record<Route, number>} */
function latencies(plan) {
  const s = sizes(plan);
  const { gathers, again, reductions } = rounds(plan);
  const collectives = s.layers + 1;
  const hops = s.ring - 1;
  return {
    gather: gathers * collectives * hops,
    again: again * (plan.strategy === "zero3" ? collectives : s.layers) * hops,
    reduce: reductions * directions(plan) * collectives * hops,
    across: reductions * 2 * collectives * (groups(plan) - 1),
    tensor: plan.micro_batches * s.layers * tensorPasses(plan) * (plan.tensor - 1),
    pipeline: plan.micro_batches * ways(plan),
  };
}

/** Floating-point operations of a GPU of the fullest stage in a step. @param {Plan} plan @returns {{ forward: Quantity, backward: Quantity }} */
export function operations(plan) {
  const s = sizes(plan);
  const layer = 6 * s.active + 12 * plan.length * plan.hidden;
  const kept =
    (plan.hidden * plan.hidden * plan.kv_heads) / plan.heads +
    plan.hidden ** 2 +
    plan.active_experts * plan.hidden * plan.mlp;
  const again = { none: 0, full: layer / 3, selective: 2 * kept }[plan.recompute];
  /** @type {Factor[]} */
  const shared = [
    [s.tokens * plan.micro_batches, "tokens"],
    [plan.tensor, "tensor ranks", true],
  ];
  /** @type {(times: number) => Factor[][]} */
  const pass = (times) => [
    [[s.layers, "layers"], [2 * times, "operations"], [s.active, "parameters"], ...shared],
    [[s.layers, "layers"], [4 * times, "operations"], [plan.length, "long"], [plan.hidden, "wide"], ...shared],
    [[2 * times, "operations"], [s.table, "of the head"], ...shared],
  ];
  return {
    forward: quantity(...pass(1)),
    backward: quantity(...pass(2), [[s.layers, "layers"], [again, "recomputed"], ...shared]),
  };
}

/** GB/s of rings of ranks that are so many GPUs apart. @param {Plan} plan @param {number} ranks @param {number} apart */
function ringBandwidth(plan, ranks, apart) {
  if (ranks * apart <= plan.node_gpus) return plan.node_bandwidth;
  const members = Math.max(1, Math.floor(plan.node_gpus / apart));
  return Math.min(plan.node_bandwidth, plan.network_bandwidth * members);
}

/** Seconds of each part of a step by itself. @param {Plan} plan @returns {Record<Route | Span, Quantity>} */
export function seconds(plan) {
  const s = sizes(plan);
  const fast = plan.node_bandwidth * GB;
  const slow = plan.network_bandwidth * GB;
  const ring = ringBandwidth(plan, s.ring, plan.tensor) * GB;
  const bandwidth = {
    gather: ring,
    again: ring,
    reduce: ring,
    across: slow,
    tensor: ringBandwidth(plan, plan.tensor, 1) * GB,
    pipeline: plan.gpus <= plan.node_gpus ? fast : slow,
  };
  const sent = traffic(plan);
  const waits = latencies(plan);
  /** @param {Route} route */
  const took = (route) =>
    quantity(
      [
        [waits[route], "hops"],
        [plan.latency * 1e-6, "s"],
      ],
      [
        [sent[route].value, "B"],
        [bandwidth[route], "B/s", true],
      ],
    );
  const needed = operations(plan);
  /** @param {"forward" | "backward"} pass */
  const computed = (pass) =>
    quantity([
      [needed[pass].value, "operations"],
      [(plan.precision === "fp32" ? plan.fp32_peak : plan.peak) * 1e12, "a second", true],
      [plan.utilization, "of the peak", true],
    ]);
  const forward = computed("forward");
  const backward = computed("backward");
  const tensor = took("tensor");
  return {
    forward,
    backward,
    idle: quantity([
      [forward.value + backward.value + tensor.value, "s"],
      [plan.pipeline - 1, "idle"],
      [plan.micro_batches, "micro-batches", true],
    ]),
    gather: took("gather"),
    again: took("again"),
    reduce: took("reduce"),
    across: took("across"),
    tensor,
    pipeline: took("pipeline"),
  };
}

/**
 * How long a step takes if data-parallel traffic runs beside compute where it can, and if it never does; how long it lasts
 * itself, and how long it is waited for in the first case.
 * @param {Plan} plan
 */
export function pace(plan) {
  const took = seconds(plan);
  const steps = plan.micro_batches;
  const { gathers, again, reductions } = rounds(plan);
  const forward = STAGES[plan.strategy] < 3 ? 0 : took.forward.value / steps;
  const backward = took.backward.value / steps;
  const gather = took.gather.value / Math.max(1, gathers);
  const regather = took.again.value / Math.max(1, again);
  const reduce = (took.reduce.value + took.across.value) / reductions;
  const waited =
    gathers * Math.max(0, gather - forward) +
    reductions * Math.max(0, regather + reduce - backward) +
    (steps - reductions) * Math.max(0, regather - backward);
  const data = took.gather.value + took.again.value + took.reduce.value + took.across.value;
  const exposed = Object.values(took).reduce((sum, { value }) => sum + value, 0);
  const hidden = exposed - data + waited;
  const { tokens, data: ranks } = sizes(plan);
  return { hidden, exposed, data, waited, tokens: (tokens * steps * ranks) / hidden / plan.gpus };
}

/** All of it, flat, as plans.py gives it. @param {Plan} plan @returns {Record<string, number | string>} */
export function figures(plan) {
  const { moment, held, total: bytes } = peak(plan);
  const { parameters, data, shards } = sizes(plan);
  const { hidden, exposed, tokens } = pace(plan);
  const { forward, backward } = operations(plan);
  /** @param {string} name @param {Record<string, Quantity>} of */
  const flat = (name, of) =>
    Object.fromEntries(Object.entries(of).map(([key, { value }]) => [`${name}_${key}`, value]));
  return {
    parameters,
    data_ranks: data,
    shard_ranks: shards,
    moment,
    peak_bytes: bytes,
    flops: forward.value + backward.value,
    step_hidden: hidden,
    step_exposed: exposed,
    tokens_per_second: tokens,
    ...flat("hold", /** @type {Record<string, Quantity>} */ (held)),
    ...flat("sent", traffic(plan)),
    ...flat("time", seconds(plan)),
  };
}
