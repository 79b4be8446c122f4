// answer.js - what the server says of a machine: figures, pictures, comparison, advice.

import { element } from "./machine.js";

const byId = (id) => document.getElementById(id);

export function time(seconds) {
    const [factor, unit] = seconds >= 1 ? [1, "s"] : seconds >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
    return `${(seconds * factor).toPrecision(4)} ${unit}`;
}

// How long a person waits.
export function duration(seconds) {
    if (seconds < 10) return `${Math.max(0.1, seconds).toFixed(1)} s`;
    if (seconds < 100) return `${Math.round(seconds)} s`;
    return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

export function percent(ratio) {
    const value = 100 * (ratio - 1);
    return Math.abs(value) < 0.005 ? "the same" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}%`;
}

const STAGES = {
    host: "host's supply",
    pcix: "bus",
    bus: "bus",
    clock: "board's clock",
    3: "stage 3",
    build: "building of tables",
};

export function longer(ratio) {
    const percents = 100 * (ratio - 1);
    if (Math.abs(percents) < 0.005) return "as long as";
    return `${Math.abs(percents).toPrecision(3)}% ${percents > 0 ? "longer than" : "shorter than"}`;
}

export function stageName(stage) {
    return STAGES[stage] ?? `stage ${stage}`;
}

const PARTS = {
    host: "the host's supply",
    bus: "the bus",
    cores: "the cores' work",
    alignment: "one core at one alignment",
    tables: "building and loading tables",
    build: "building tables",
    join: "joining alignments",
    network: "the network",
    shared: "no part alone",
};

// What limits the whole run is known when all passes have been timed; before, what limits the stream.
function limitOf(answer) {
    const { limit, limit_of_run: part, run } = answer.bottleneck;
    if (!part) return `${stageName(limit)} (stream)`;
    const name = PARTS[part] ?? `stage ${part}`;
    return part === "shared" ? name : `${name} (×${run.gain.toPrecision(3)} without)`;
}

function share(number) {
    return typeof number === "number" ? `${(100 * number).toFixed(1)}%` : "-";
}

function mean(number) {
    return typeof number === "number" ? Number(number.toPrecision(3)).toLocaleString("en") : "-";
}

// What the run takes over what a sample leads to expect, as it was when both were last known.
let calibration = 1;

export function calibrate(sampled, exact) {
    calibration = exact.simulated_time_s / sampled.estimated_time_s;
}

export function bestTime(answer) {
    return answer.exact ? answer.simulated_time_s : answer.estimated_time_s * calibration;
}

export function showFigures(answer, base) {
    byId("time").value = `${answer.exact ? "" : "≈ "}${time(bestTime(answer))}`;
    byId("change").textContent = base
        ? `${longer(bestTime(answer) / bestTime(base))} the ${base.kept ? "kept" : "recorded"} machine`
        : "";
    byId("bottleneck").value = limitOf(answer);
    const state = byId("state");
    state.className = answer.exact ? "state" : "state sampled";
    state.textContent = answer.exact
        ? `exact (${answer.all_passes === 1 ? "1 pass" : `${answer.all_passes} passes`}), in ${time(answer.wall_time_s)}`
        : `sampled: ${answer.passes} of ${answer.all_passes} passes`;
    byId("command").textContent = answer.command;
    byId("command-note").firstChild.textContent = answer.new_tokens
        ? "Computed from the sequences; "
        : "Timed again from the run's record; ";
}

// The server draws the pictures; names of files and sequences in them are escaped there.
export function fragment(markup) {
    return document.createRange().createContextualFragment(markup);
}

function drawPicture(part, caption) {
    const figure = element("figure");
    if (caption) figure.append(element("figcaption", {}, caption));
    figure.append(part.missing ? element("p", { className: "note" }, part.missing) : fragment(part.picture));
    return figure;
}

function passesOf(answer) {
    return answer.exact
        ? `Of all ${answer.all_passes} passes`
        : `Of the first ${answer.passes} of ${answer.all_passes} passes`;
}

export function showParts(answer, kept) {
    const nodes = answer.parts.map((part, i) => {
        const own = [element("h2", {}, part.title)];
        if (part.introduction) own.push(fragment(part.introduction));
        if (part.what === "pipeline") own.push(element("p", { className: "note" }, `${passesOf(answer)}.`));
        own.push(drawPicture(part, kept && "This machine"));
        if (kept) own.push(drawPicture(kept.parts[i], "The kept machine"));
        return own;
    });
    replaceNodes(byId("pipeline"), nodes[0]);
    replaceNodes(byId("parts"), nodes.slice(1).flat());
}

// Pictures that were scrolled to the side stay so.
function replaceNodes(section, nodes) {
    const left = [...section.querySelectorAll("figure")].map((figure) => figure.scrollLeft);
    section.replaceChildren(...nodes);
    section.querySelectorAll("figure").forEach((figure, i) => (figure.scrollLeft = left[i] ?? 0));
}

function table(head, rows) {
    const cell = (tag) => (text, i) => element(tag, { className: i ? "n" : "" }, text);
    return element(
        "div",
        { className: "scroll" },
        element(
            "table",
            {},
            element("thead", {}, element("tr", {}, ...head.map(cell("th")))),
            element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell("td"))))),
        ),
    );
}

const stageOf = (answer, name) => answer.bottleneck.stages.find((stage) => stage.stage === name);

export function showComparison(answer, kept, changes, recorded) {
    const section = byId("comparison");
    section.hidden = !kept;
    if (!kept) return;
    const rows = [
        ["simulated time", time(bestTime(answer)), time(bestTime(kept)), percent(bestTime(answer) / bestTime(kept))],
        ["limit of the run", limitOf(answer), limitOf(kept), ""],
    ];
    for (const stage of answer.bottleneck.stages)
        rows.push([
            `${stageName(stage.stage)} busy`,
            share(stage.active_fraction),
            share(stageOf(kept, stage.stage)?.active_fraction),
            "",
        ]);
    answer.queues.forEach((queue, i) =>
        rows.push([`${queue.title}, mean [${queue.element}]`, mean(queue.mean), mean(kept.queues[i].mean), ""]),
    );
    const names = new Set([...Object.keys(changes), ...Object.keys(kept.changes)]);
    for (const name of names)
        rows.push([name, changes[name] ?? recorded(name), kept.changes[name] ?? recorded(name), ""]);
    section.replaceChildren(element("h2", {}, "Beside the kept machine"), table(["", "this", "kept", ""], rows));
    if (!answer.exact || !kept.exact)
        section.append(
            element("p", { className: "note" }, "Figures with fewer passes than the run has are estimates."),
        );
}

function ofPasses(answer) {
    return answer.passes === answer.all_passes
        ? ""
        : ` Asked of the first ${answer.passes} of ${answer.all_passes} passes.`;
}

export function showLimits(answer) {
    const { base, free } = answer;
    const streaming = [...free].sort((a, b) => b.throughput - a.throughput)[0];
    const quickest = [...free].sort((a, b) => a.total_s - b.total_s)[0];
    const gain = streaming ? streaming.throughput / base.throughput - 1 : 0;
    const line =
        gain > 5e-4
            ? `To stream quicker, improve the ${stageName(streaming.stage)}: ` +
              `at most ${(100 * gain).toFixed(1)}% more throughput.`
            : "No single resource makes streaming quicker: two or more limit it together.";
    const sooner =
        quickest && quickest.total_s < base.total_s * (1 - 5e-4)
            ? ` To end sooner, improve the ${stageName(quickest.stage)}: ` +
              `at most ${(100 * (1 - quickest.total_s / base.total_s)).toFixed(1)}% of the time.`
            : "";
    byId("advice").replaceChildren(
        element("h2", {}, "What limits next"),
        element("p", {}, line + sooner + ofPasses(answer)),
        table(
            ["free", "throughput [Mw-mers/s]", "", "time", ""],
            [
                ["nothing", base.throughput.toFixed(1), "", time(base.total_s), ""],
                ...free.map((f) => [
                    `${stageName(f.stage)}: ${f.meaning}`,
                    f.throughput.toFixed(1),
                    percent(f.throughput / base.throughput),
                    time(f.total_s),
                    percent(f.total_s / base.total_s),
                ]),
            ],
        ),
    );
    byId("advice").hidden = false;
}

// With a button that sets the sliders.
export function showFifos(answer, use) {
    const button = element("button", { type: "button", id: "use-fifos" }, "Use these depths");
    button.addEventListener("click", () =>
        use(Object.fromEntries(answer.fifos.map((f) => [f.parameter, String(f.depth)]))),
    );
    const longer = 100 * (answer.bounded.total_s / answer.unbounded.total_s - 1);
    byId("advice").replaceChildren(
        element("h2", {}, "The smallest FIFOs"),
        element(
            "p",
            {},
            `These depths take the fewest block RAMs of those that were tried. The run takes ${time(answer.bounded.total_s)}, ` +
                `${Math.abs(longer).toFixed(2)}% ${longer < 0 ? "less" : "more"} than with FIFOs without bounds.${ofPasses(answer)}`,
        ),
        table(
            ["FIFO", "depth", "now"],
            answer.fifos.map((f) => [f.parameter, String(f.depth), String(f.before)]),
        ),
        button,
    );
    byId("advice").hidden = false;
}

export function showAdvice(title, line) {
    byId("advice").replaceChildren(element("h2", {}, title), element("p", {}, line));
    byId("advice").hidden = false;
}
