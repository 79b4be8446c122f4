// answer.js - what the server says of a machine: figures, pictures, comparison, advice.

import { element, prefixed } from "./machine.js";
import { nameOf, PLACES } from "./words.js";

const byId = (id) => document.getElementById(id);

export const timeUnit = (seconds) => (seconds >= 1 ? [1, "s"] : seconds >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"]);

// A value of a parameter where there is little room.
export const shortValue = (value, unit) => prefixed(value, unit) || String(value);

export function time(seconds) {
    const [factor, unit] = timeUnit(seconds);
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
    bus: "bus",
    3: "stage 3",
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

export function partName(part) {
    return PARTS[part] ?? `stage ${part}`;
}

// What limits the whole run is known when all passes have been timed; before, what limits the stream.
function limitOf(answer) {
    const { limit, limit_of_run: part, run } = answer.bottleneck;
    if (!part) return `${stageName(limit)} (stream)`;
    const name = partName(part);
    if (part === "shared") return name;
    const gain = `×${run.gain.toPrecision(3)} without`;
    if (run.from === "bound") return `perhaps ${name} (at most ${gain})`;
    return `${name} (${run.from === "sampled" ? "about " : ""}${gain})`;
}

function share(number) {
    return typeof number === "number" ? `${(100 * number).toFixed(1)}%` : "-";
}

function mean(number) {
    return typeof number === "number" ? number.toLocaleString("en", { maximumSignificantDigits: 3 }) : "-";
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
        ? `${longer(bestTime(answer) / bestTime(base))} the ${base.letter ? `kept machine ${base.letter}` : "recorded machine"}`
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
        : `Of ${answer.passes} of ${answer.all_passes} passes, evenly spread`;
}

// What a picture may be clicked for. told: the place's name, and its answer if it is a queue
function makePlaces(figure, answer, told) {
    for (const shape of figure.querySelectorAll("[class*=is-]")) {
        const place = shape.getAttribute("class").match(/is-(\w+)/)[1],
            words = PLACES[place];
        if (!words) continue;
        const target = shape.cloneNode();
        target.setAttribute("class", "target");
        target.setAttribute("tabindex", 0);
        target.setAttribute("role", "button");
        target.setAttribute("aria-label", `${words[0]}: its sliders`);
        target.dataset.place = place;
        const tip = document.createElementNS("http://www.w3.org/2000/svg", "title");
        tip.textContent = `${words[0]} ${words[1]} Click for its sliders.`;
        target.append(tip);
        const tell = () => told(place, answer.queues.find((queue) => queue.name === place));
        target.addEventListener("click", tell);
        target.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            tell();
        });
        figure.querySelector("svg").append(target);
    }
}

// The panel of a queue, out of the picture of all of them.
function histogramOf(queue) {
    const picture = byId("parts").querySelector("[data-part=queues] svg"),
        title = [...(picture?.querySelectorAll("text.bold") ?? [])].find((node) => node.textContent === queue.title);
    if (!title) return [];
    const copy = picture.cloneNode(true),
        [x, y] = [Number(title.getAttribute("x")), Number(title.getAttribute("y"))];
    copy.setAttribute("viewBox", `${x - 62} ${y - 16} 500 228`);
    copy.setAttribute("class", "histogram");
    copy.setAttribute("aria-label", `How often the ${queue.title} held how many elements`);
    return [copy];
}

function blocksOf(ramb18) {
    return ramb18 === 0 ? "look-up tables" : `${ramb18} block RAM${ramb18 === 1 ? "" : "s"} of 18 Kb`;
}

export function showPlace(place, queue, rows) {
    const [name, does] = PLACES[place];
    const values = queue
        ? `mean ${mean(queue.mean)}, 99th percentile ${mean(queue.p99)}, at most ${mean(queue.max)} ${queue.element}` +
          (queue.places === null ? ", no bound. " : ` of ${mean(queue.places)} places`) +
          (queue.element_bits ? ` of ${queue.element_bits} bits, in ${blocksOf(queue.ramb18)}. ` : queue.places ? ". " : "")
        : "";
    showAdvice(
        name,
        element("p", {}, `It ${does} `, element("span", { className: "note" }, values)),
        element(
            "p",
            {},
            rows.length ? "Its sliders: " : "No slider changes it.",
            rows.map((row) => `${nameOf(row.name)} (${row.name})`).join(", "),
        ),
        ...(queue ? histogramOf(queue) : []),
    );
}

export function showParts(answer, kept, told) {
    const nodes = answer.parts.map((part, i) => {
        const own = [element("h2", {}, part.title)];
        if (part.introduction) own.push(fragment(part.introduction));
        if (part.what === "pipeline") own.push(element("p", { className: "note" }, `${passesOf(answer)}.`));
        own.push(drawPicture(part, kept && "This machine"));
        if (part.what === "pipeline") makePlaces(own.at(-1), answer, told);
        if (kept) own.push(drawPicture(kept.parts[i], `The kept machine ${kept.letter}`));
        for (const figure of own.filter((node) => node.tagName === "FIGURE")) figure.dataset.part = part.what;
        return own;
    });
    replaceNodes(byId("pipeline"), nodes[0]);
    replaceNodes(byId("parts"), nodes.slice(1).flat());
}

// Pictures that were scrolled to the side stay so, and boxes that were ticked.
function replaceNodes(section, nodes) {
    const left = [...section.querySelectorAll("figure")].map((figure) => figure.scrollLeft);
    const ticked = [...section.querySelectorAll("input.all")].map((box) => box.checked);
    section.replaceChildren(...nodes);
    section.querySelectorAll("input.all").forEach((box, i) => (box.checked = ticked[i] ?? false));
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

// all: the kept machines; kept: the one of them whose pictures are drawn
export function showComparison(answer, all, kept, changes, recorded) {
    const section = byId("comparison");
    section.hidden = !kept;
    if (!kept) return;
    const row = (title, of) => [title, of(answer), ...all.map(of), ""];
    const times = row("simulated time", (one) => time(bestTime(one)));
    times[times.length - 1] = percent(bestTime(answer) / bestTime(kept));
    const rows = [times, row("limit of the run", limitOf)];
    for (const { stage } of answer.bottleneck.stages)
        rows.push(row(`${stageName(stage)} busy`, (one) => share(stageOf(one, stage)?.active_fraction)));
    answer.queues.forEach((queue, i) =>
        rows.push(row(`${queue.title}, mean [${queue.element}]`, (one) => mean(one.queues[i].mean))),
    );
    for (const name of new Set([changes, ...all.map((one) => one.changes)].flatMap(Object.keys)))
        rows.push(row(name, (one) => (one === answer ? changes : one.changes)[name] ?? recorded(name)));
    const letters = all.map((one) => `kept ${one.letter}`);
    section.replaceChildren(
        element("h2", {}, "Beside the kept machines"),
        table(["", "this", ...letters, `this beside ${kept.letter}`], rows),
    );
    if (![answer, ...all].every((one) => one.exact))
        section.append(
            element("p", { className: "note" }, "Figures with fewer passes than the run has are estimates."),
        );
}

function ofPasses(answer) {
    return answer.passes === answer.all_passes
        ? ""
        : ` Asked of ${answer.passes} of ${answer.all_passes} passes, evenly spread, as a run of their own: ` +
              "its beginning and its end are a larger part of it than of the whole run.";
}

// free: numbers of machines with one part free, with `part` and `meaning`
export function showLimits(base, free) {
    const speed = (numbers) => 1 / numbers.stream_s,
        total = (numbers) => numbers.simulated_time_s;
    const streaming = [...free].sort((a, b) => speed(b) - speed(a))[0];
    const [quickest] = free.sort((a, b) => total(a) - total(b));
    const gain = streaming ? speed(streaming) / speed(base) - 1 : 0;
    const line =
        gain > 5e-4
            ? `To stream quicker, improve ${partName(streaming.part)}: ` +
              `at most ${(100 * gain).toFixed(1)}% more throughput.`
            : "No single part makes streaming quicker: two or more limit it together.";
    const sooner =
        quickest && total(quickest) < total(base) * (1 - 5e-4)
            ? ` To end sooner, improve ${partName(quickest.part)}: ` +
              `at most ${(100 * (1 - total(quickest) / total(base))).toFixed(1)}% of the time.`
            : "";
    showAdvice(
        "What limits next",
        element("p", {}, line + sooner),
        table(
            ["free", "the database streams", "", "the run", ""],
            [
                ["nothing", time(base.stream_s), "", time(total(base)), ""],
                ...free.map((f) => [
                    `${partName(f.part)}: ${f.meaning}`,
                    time(f.stream_s),
                    percent(f.stream_s / base.stream_s),
                    time(total(f)),
                    percent(total(f) / total(base)),
                ]),
            ],
        ),
    );
}

// With a button that sets the sliders.
export function showFifos(answer, use) {
    const button = element("button", { type: "button", id: "use-fifos" }, "Use these depths");
    button.addEventListener("click", () =>
        use(Object.fromEntries(answer.fifos.map((f) => [f.parameter, String(f.depth)]))),
    );
    const longer = 100 * (answer.bounded_s / answer.unbounded_s - 1);
    showAdvice(
        "The smallest FIFOs",
        element(
            "p",
            {},
            `These depths take the fewest block RAMs of those that were tried. The run takes ${time(answer.bounded_s)}, ` +
                `${Math.abs(longer).toFixed(2)}% ${longer < 0 ? "less" : "more"} than with FIFOs without bounds. A board has ${answer.ramb18} block RAMs of 18 Kb, not ${answer.ramb18_before}.${ofPasses(answer)}`,
        ),
        table(
            ["FIFO", "depth", "now", "bits", "now"],
            answer.fifos.map((f) =>
                [f.parameter, f.depth, f.before, f.depth * f.element_bits, f.before * f.element_bits_before].map(String),
            ),
        ),
        button,
    );
}

// An answer stands below the buttons, which are always in the window.
export function showAdvice(title, ...nodes) {
    byId("advice-title").textContent = title;
    byId("advice-body").replaceChildren(...nodes);
    byId("advice").hidden = false;
    byId("advice").scrollTop = 0;
}

// done: of how many; undefined: nobody knows; after the last one the bar goes. took: how long these took
export function showProgress(done, all, took) {
    const bar = byId("advice-bar");
    byId("advice-progress").hidden = all !== undefined && done === all;
    if (all) {
        bar.max = all;
        bar.value = done;
    } else bar.removeAttribute("value");
    const left = took && done ? `, about ${duration((took / done) * (all - done))} left` : "";
    byId("advice-left").textContent = all ? `${done} of ${all} machines are timed${left}` : "machines are timed";
    byId("advice-took").textContent = took && done === all ? `${all} machines in ${duration(took)}.` : "";
}
