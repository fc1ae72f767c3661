/**
 * What one GPU holds at its peak, sends, and takes time for in a training step: `bank/evidence/plans.py` for the browser.
 * Both are held to the same numbers by a test. A quantity knows the factors that it is made of, for the page to show.
 *
 * @typedef {"ddp" | "zero1" | "zero2" | "zero3" | "fsdp" | "fsdp-kept" | "hsdp"} Strategy
 * @typedef {{
 *   layers: number, hidden: number, mlp: number, heads: number, kv_heads: number, vocabulary: number, gated: boolean,
 *   tied: boolean, experts: number, active_experts: number, gpus: number, node_gpus: number, memory: number, peak: number,
 *   utilization: number, node_bandwidth: number, network_bandwidth: number, latency: number, strategy: Strategy,
 *   tensor: number, pipeline: number, optimizer: "sgd" | "momentum" | "adamw", precision: "mixed" | "bf16" | "fp32",
 *   sequences: number, length: number, micro_batches: number, recompute: "none" | "selective" | "full",
 *   fused_attention: boolean,
 * }} Plan
 * @typedef {[value: number, name: string, divides?: true]} Factor
 * @typedef {{ value: number, terms: Factor[][] }} Quantity
 * @typedef {"parameters" | "gradients" | "optimizer" | "gathered" | "whole_gradients" | "activations" | "logits" | "temporaries"} Kind
 * @typedef {Partial<Record<Kind, Quantity>>} Held
 * @typedef {"within" | "across" | "tensor" | "pipeline"} Route
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
    reduce: fp32Shards ? 4 : compute,
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
  const matrices = plan.fused_attention || recompute !== "none" ? 0 : 5;
  return quantity(
    [
      [compute, "B"],
      [numbers, "numbers"],
    ],
    [
      [4, "B"],
      [plan.heads, "heads"],
    ],
    [
      [matrices, "B"],
      [plan.heads, "heads"],
      [plan.length, "long"],
    ],
  );
}

/** What a GPU of a stage holds at each moment that can be the peak. @param {Plan} plan @param {boolean} first @param {boolean} last @returns {Record<string, Held>} */
function moments(plan, first, last) {
  const s = sizes(plan);
  const root = ends(plan, first, last);
  const local = s.layers * s.unit + root;
  const stage = STAGES[plan.strategy];
  const sharded = s.shards > 1;
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
  const early = plan.micro_batches > 1 && !s.accumulates ? gradients : quantity();
  const kept = plan.strategy === "fsdp-kept" ? s.layers : 0;
  const whole = stage > 2 && sharded;
  const split = stage > 1 && sharded;
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
      gathered: gathered(Math.max(kept, Math.min(2, s.layers))),
      whole_gradients: buffers(
        [
          [s.compute, "B"],
          [head, "of the head"],
        ],
        bytes(s.compute + s.reduce, s.unit),
      ),
      activations: quantity(layers, outside, again),
    },
    end: {
      gradients: split ? quantity([...bytes(s.widths.gradient, local - root), over(1)]) : gradients,
      whole_gradients: buffers([
        [s.compute + s.reduce, "B"],
        [root, "of the root"],
      ]),
    },
    step: { gradients, temporaries: s.native && s.moments === 2 ? parameters : quantity() },
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

/** How often a step goes through the gathers of forward, and through the reductions. @param {Plan} plan */
function rounds(plan) {
  const once = sizes(plan).accumulates;
  return {
    gathers: once && plan.strategy === "fsdp-kept" ? 1 : plan.micro_batches,
    reductions: once ? 1 : plan.micro_batches,
  };
}

/** Bytes that a GPU sends in a step. @param {Plan} plan @returns {Record<Route, Quantity>} */
export function traffic(plan) {
  const s = sizes(plan);
  const root = ends(plan, plan.pipeline === 1, true);
  const local = s.layers * s.unit + root;
  const { gathers, reductions } = rounds(plan);
  /** The part of a ring. @param {number} ranks @returns {Factor[]} */
  const ring = (ranks) => [
    [ranks - 1, ""],
    [ranks, "GPUs", true],
  ];
  /** @type {(times: number, width: number, of: number, ranks: number, name?: string) => Factor[]} */
  const pass = (times, width, of, ranks, name = "passes") => [
    [times, name],
    [width, "B"],
    [of, "parameters"],
    ...ring(ranks),
  ];
  const steps = plan.micro_batches;
  const within = {
    ddp: () => quantity(pass(2, s.reduce, local, s.ring)),
    zero1: () =>
      quantity(pass(1, s.reduce, local, s.shards, "reduction"), pass(1, s.compute, local, s.shards, "gather")),
    zero2: () =>
      quantity(pass(steps, s.reduce, local, s.shards, "reductions"), pass(1, s.compute, local, s.shards, "gather")),
    sharded: () => {
      const again = { zero3: local, "fsdp-kept": 0 }[/** @type {string} */ (plan.strategy)] ?? local - root;
      return quantity(
        pass(gathers, s.compute, local, s.shards, "gathers"),
        pass(gathers, s.compute, again, s.shards, "gathers again"),
        pass(reductions, s.reduce, local, s.shards, "reductions"),
      );
    },
  }[STAGES[plan.strategy] > 2 ? "sharded" : /** @type {"ddp" | "zero1" | "zero2"} */ (plan.strategy)]();
  const sharded = STAGES[plan.strategy] > 2;
  /** @type {Factor[]} */
  const passed = [
    [s.compute, "B"],
    [s.tokens, "tokens"],
    [plan.hidden, "wide"],
  ];
  return {
    within,
    across: sharded
      ? quantity([
          [2 * reductions, "passes"],
          [s.reduce, "B"],
          [local, "parameters"],
          [s.shards, "GPUs of a shard group", true],
          ...ring(s.replicas),
        ])
      : quantity(),
    tensor: quantity([
      [steps, "micro-batches"],
      [s.layers, "layers"],
      [2 * tensorReductions(plan), "passes"],
      ...passed,
      ...ring(plan.tensor),
    ]),
    pipeline:
      plan.pipeline > 1
        ? quantity([[steps, "micro-batches"], [2, "ways"], ...passed, [plan.tensor, "tensor ranks", true]])
        : quantity(),
  };
}

/** All-reduces of a layer. @param {Plan} plan */
const tensorReductions = (plan) => (plan.recompute === "full" ? 6 : 4);

/** Steps of rings in a row. @param {Plan} plan @returns {Record<Route, number>} */
function latencies(plan) {
  const s = sizes(plan);
  const { gathers, reductions } = rounds(plan);
  const sharded = gathers * (plan.strategy === "fsdp-kept" ? 1 : 2) + reductions;
  const passes = { ddp: 2, zero1: 2, zero2: plan.micro_batches + 1 }[/** @type {string} */ (plan.strategy)] ?? sharded;
  const collectives = s.layers + 1;
  return {
    within: passes * collectives * (s.ring - 1),
    across: plan.strategy === "hsdp" ? 2 * reductions * collectives * (s.replicas - 1) : 0,
    tensor: plan.micro_batches * s.layers * tensorReductions(plan) * 2 * (plan.tensor - 1),
    pipeline: plan.pipeline > 1 ? plan.micro_batches * 2 : 0,
  };
}

/** Floating-point operations of a GPU in a step. @param {Plan} plan @returns {Quantity} */
export function operations(plan) {
  const s = sizes(plan);
  const tokens = s.tokens * plan.micro_batches;
  const layer = 6 * s.active + 12 * plan.length * plan.hidden;
  const kept =
    (plan.hidden * plan.hidden * plan.kv_heads) / plan.heads +
    plan.hidden ** 2 +
    plan.active_experts * plan.hidden * plan.mlp;
  const again = { none: 0, full: layer / 3, selective: 2 * kept }[plan.recompute];
  /** @type {Factor[]} */
  const shared = [
    [tokens, "tokens"],
    [plan.tensor * plan.pipeline, "GPUs of a replica", true],
  ];
  return quantity(
    [[plan.layers, "layers"], [6, "operations"], [s.active, "parameters"], ...shared],
    [[plan.layers, "layers"], [12, "operations"], [plan.length, "long"], [plan.hidden, "wide"], ...shared],
    [[plan.layers, "layers"], [again, "operations again"], ...shared],
    [[6, "operations"], [s.table, "of the head"], ...shared],
  );
}

/** Seconds of each part of a step by itself. @param {Plan} plan @returns {Record<Route | "compute" | "bubble", Quantity>} */
export function seconds(plan) {
  const s = sizes(plan);
  const fast = plan.node_bandwidth * GB;
  const slow = plan.network_bandwidth * GB;
  const bandwidth = {
    within: s.ring * plan.tensor <= plan.node_gpus ? fast : slow,
    across: slow,
    tensor: plan.tensor <= plan.node_gpus ? fast : slow,
    pipeline: plan.gpus <= plan.node_gpus ? fast : slow,
  };
  const sent = traffic(plan);
  const waits = latencies(plan);
  /** @param {Route} route */
  const took = (route) =>
    quantity(
      [
        [waits[route], "steps"],
        [plan.latency * 1e-6, "s"],
      ],
      [
        [sent[route].value, "B"],
        [bandwidth[route], "B/s", true],
      ],
    );
  /** @type {Factor[]} */
  const compute = [
    [operations(plan).value, "operations"],
    [plan.peak * 1e12, "a second", true],
    [plan.utilization, "of the peak", true],
  ];
  return {
    compute: quantity(compute),
    bubble: quantity([...compute, [plan.pipeline - 1, "idle"], [plan.micro_batches, "micro-batches", true]]),
    within: took("within"),
    across: took("across"),
    tensor: took("tensor"),
    pipeline: took("pipeline"),
  };
}

/** How long a step takes if all data-parallel traffic hides behind compute, if none does, and tokens a second and GPU. @param {Plan} plan */
export function pace(plan) {
  const took = seconds(plan);
  const data = took.within.value + took.across.value;
  const rest = took.tensor.value + took.pipeline.value + took.bubble.value;
  const hidden = Math.max(took.compute.value, data) + rest;
  const { tokens, data: ranks } = sizes(plan);
  return {
    hidden,
    exposed: took.compute.value + data + rest,
    tokens: (tokens * plan.micro_batches * ranks) / hidden / plan.gpus,
  };
}

/** All of it, flat, as plans.py gives it. @param {Plan} plan @returns {Record<string, number | string>} */
export function figures(plan) {
  const { moment, held, total: bytes } = peak(plan);
  const { parameters, data, shards } = sizes(plan);
  const { hidden, exposed, tokens } = pace(plan);
  /** @param {string} name @param {Record<string, Quantity>} of */
  const flat = (name, of) =>
    Object.fromEntries(Object.entries(of).map(([key, { value }]) => [`${name}_${key}`, value]));
  return {
    parameters,
    data_ranks: data,
    shard_ranks: shards,
    moment,
    peak_bytes: bytes,
    flops: operations(plan).value,
    step_hidden: hidden,
    step_exposed: exposed,
    tokens_per_second: tokens,
    ...flat("hold", /** @type {Record<string, Quantity>} */ (held)),
    ...flat("sent", traffic(plan)),
    ...flat("time", seconds(plan)),
  };
}
