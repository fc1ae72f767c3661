// What can be set, in which bounds, and what is set to begin with. Names are those of a Plan; `spare` is the page's own.

/**
 * @typedef {import("./plan.js").Plan & { spare: number }} State
 * @typedef {keyof State} Name
 * @typedef {{ label: string, unit?: string, min: number, max: number, step?: number }} NumberField
 * @typedef {{ label: string, options: Record<string, string> }} ChoiceField
 * @typedef {{ label: string }} SwitchField
 */

/** @type {Partial<Record<Name, NumberField>>} */
export const NUMBERS = {
  layers: { label: "Layers", min: 1, max: 1000 },
  hidden: { label: "Width", min: 8, max: 200000 },
  mlp: { label: "Width of the MLP", min: 8, max: 1000000 },
  heads: { label: "Heads", min: 1, max: 1024 },
  kv_heads: { label: "Key and value heads", min: 1, max: 1024 },
  vocabulary: { label: "Vocabulary", min: 1, max: 10000000 },
  experts: { label: "Experts", min: 1, max: 1024 },
  active_experts: { label: "Experts of a token", min: 1, max: 1024 },
  gpus: { label: "GPUs", min: 1, max: 1000000 },
  node_gpus: { label: "GPUs in a node", min: 1, max: 1024 },
  memory: { label: "Memory", unit: "GB", min: 1, max: 10000, step: 0.1 },
  spare: { label: "Kept free of it", unit: "%", min: 0, max: 90, step: 0.1 },
  peak: { label: "Peak in 16 bits", unit: "TFLOP/s", min: 1, max: 100000, step: 0.1 },
  fp32_peak: { label: "Peak in fp32", unit: "TFLOP/s", min: 1, max: 100000, step: 0.1 },
  utilization: { label: "Reached of it", unit: "part", min: 0.01, max: 1, step: 0.01 },
  node_bandwidth: { label: "Links in a node", unit: "GB/s", min: 0.1, max: 10000, step: 0.1 },
  network_bandwidth: { label: "Links between nodes", unit: "GB/s", min: 0.1, max: 10000, step: 0.1 },
  latency: { label: "Latency of a hop", unit: "µs", min: 0, max: 10000, step: 0.1 },
  tensor: { label: "Tensor-parallel ranks", min: 1, max: 1024 },
  pipeline: { label: "Pipeline stages", min: 1, max: 1024 },
  sequences: { label: "Sequences in a micro-batch", min: 1, max: 65536 },
  length: { label: "Tokens of a sequence", min: 1, max: 10000000 },
  micro_batches: { label: "Micro-batches in a step", min: 1, max: 65536 },
};

/** @type {Partial<Record<Name, ChoiceField>>} */
export const CHOICES = {
  strategy: {
    label: "State and gradients",
    options: {
      ddp: "whole on each GPU: DDP",
      zero1: "optimizer state divided: ZeRO-1",
      zero2: "and gradients: ZeRO-2",
      zero3: "and parameters: ZeRO-3",
      fsdp: "FSDP2",
      "fsdp-kept": "FSDP2, parameters kept after forward",
      hsdp: "FSDP2 in each node: hybrid",
    },
  },
  optimizer: { label: "Optimizer", options: { adamw: "Adam or AdamW", momentum: "SGD with momentum", sgd: "SGD" } },
  precision: {
    label: "Precision",
    options: { mixed: "mixed: bf16 and fp32", bf16: "bf16 throughout", fp32: "fp32 throughout" },
  },
  reduction: { label: "Mixed precision reduces gradients in", options: { fp32: "fp32", bf16: "bf16" } },
  recompute: {
    label: "Recomputed",
    options: { none: "nothing", selective: "every second matrix product", full: "whole layers" },
  },
};

/** @type {Partial<Record<Name, SwitchField>>} */
export const SWITCHES = {
  gated: { label: "Gated MLP (SwiGLU)" },
  tied: { label: "Embedding and head share weights" },
  fused_attention: { label: "Fused attention" },
  fused_optimizer: { label: "Fused optimizer" },
};

const DENSE = { experts: 1, active_experts: 1 };
const LLAMA = { ...DENSE, kv_heads: 8, vocabulary: 128256, gated: true, tied: false };
const GPT = { ...DENSE, gated: false, tied: true };

/** Shapes of models; their sources are named on the page. @type {Record<string, Partial<State>>} */
export const MODELS = {
  "GPT-2 1.5B": { ...GPT, layers: 48, hidden: 1600, mlp: 6400, heads: 25, kv_heads: 25, vocabulary: 50257 },
  "Llama-3.1-8B": { ...LLAMA, layers: 32, hidden: 4096, mlp: 14336, heads: 32 },
  "Llama-3.1-70B": { ...LLAMA, layers: 80, hidden: 8192, mlp: 28672, heads: 64 },
  "Llama-3.1-405B": { ...LLAMA, layers: 126, hidden: 16384, mlp: 53248, heads: 128 },
  "Mixtral-8x7B": {
    ...LLAMA,
    layers: 32,
    hidden: 4096,
    mlp: 14336,
    heads: 32,
    vocabulary: 32000,
    experts: 8,
    active_experts: 2,
  },
  "GPT-3 175B": { ...GPT, layers: 96, hidden: 12288, mlp: 49152, heads: 96, kv_heads: 96, vocabulary: 51200 },
};

/** Memory, dense peaks, and links in one direction. @type {Record<string, Partial<State>>} */
export const DEVICES = {
  "A100 80 GB": { memory: 80, peak: 312, fp32_peak: 19.5, node_bandwidth: 300, network_bandwidth: 25 },
  "H100 80 GB": { memory: 80, peak: 989, fp32_peak: 67, node_bandwidth: 450, network_bandwidth: 50 },
  "H200 141 GB": { memory: 141, peak: 989, fp32_peak: 67, node_bandwidth: 450, network_bandwidth: 50 },
};

/** @type {State} */
export const BEGINNING = {
  .../** @type {State} */ ({ ...MODELS["Llama-3.1-8B"], ...DEVICES["H100 80 GB"] }),
  gpus: 8,
  node_gpus: 8,
  spare: 20,
  utilization: 0.4,
  latency: 5,
  strategy: "fsdp",
  tensor: 1,
  pipeline: 1,
  optimizer: "adamw",
  fused_optimizer: false,
  precision: "mixed",
  reduction: "fp32",
  sequences: 1,
  length: 8192,
  micro_batches: 1,
  recompute: "selective",
  fused_attention: true,
};

/** The fields in their order, under their headings; those of a second list stand folded away. @type {[string, Name[], Name[]][]} */
export const GROUPS = [
  [
    "Model",
    [],
    ["layers", "hidden", "mlp", "heads", "kv_heads", "vocabulary", "experts", "active_experts", "gated", "tied"],
  ],
  [
    "GPUs",
    ["gpus"],
    [
      "node_gpus",
      "memory",
      "spare",
      "peak",
      "fp32_peak",
      "utilization",
      "node_bandwidth",
      "network_bandwidth",
      "latency",
    ],
  ],
  ["Division", ["strategy", "tensor", "pipeline"], []],
  [
    "Step",
    ["sequences", "length", "micro_batches", "recompute"],
    ["precision", "reduction", "optimizer", "fused_optimizer", "fused_attention"],
  ],
];
