// curve.js - what one slider does: the machine is timed at some values of its range, few first, and drawn as they come.

import { ask, drop, Refused } from "./server.js";
import { element, stopsOf, shown as shownNumber } from "./machine.js";
import { nameOf } from "./words.js";
import * as answers from "./answer.js";

const POINTS = 24;
const WIDE = 15; // numbers that differ by more than this have a logarithmic axis
const WIDTH = 900, LEFT = 76, RIGHT = 46, TOP = 26, PANEL = 104, GAP = 30, STRIP = 16;

// The values to time, in the order of the axis: the ends, the present and the recorded one, and others between them.
export function valuesOf({ parameter, value }) {
    if (parameter.names) return parameter.names;
    const stops = stopsOf(parameter),
        chosen = new Set([value, parameter.value]),
        others = Math.min(stops.length, POINTS - chosen.size);
    for (let i = 0; i < others; i++) chosen.add(stops[Math.round((i / (others - 1 || 1)) * (stops.length - 1))]);
    return [...chosen].sort((a, b) => a - b);
}

// 0, 1, 1/2, 1/4, 3/4, 1/8, ...: each number halves what is between those before it.
function spread(i) {
    if (i < 2) return i;
    const level = 2 ** Math.floor(Math.log2(i - 1));
    return (2 * (i - 1 - level) + 1) / (2 * level);
}

// The order in which they are timed.
function orderOf(count) {
    const order = new Set();
    for (let i = 0; order.size < count && i < 8 * count; i++) order.add(Math.round(spread(i) * (count - 1)));
    for (let i = 0; i < count; i++) order.add(i);
    return [...order];
}

const svg = (name, properties = {}, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(properties)) node.setAttribute(key, value);
    node.append(...children);
    return node;
};

const text = (x, y, content, more = {}) => svg("text", { x, y, "font-size": 12, ...more }, content);

// About four round numbers from 0 to at least `most`; 1, 2 and 5 times powers of ten around numbers that differ much.
function ticksOf(least, most) {
    if (most > WIDE * least) {
        const all = [];
        for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most) + 1; power++)
            for (const step of most > 200 * least ? [1] : [1, 2, 5]) all.push(step * 10 ** power);
        const from = all.findLastIndex((tick) => tick <= least * (1 + 1e-9)),
            to = all.findIndex((tick) => tick >= most * (1 - 1e-9));
        return all.slice(Math.max(0, from), to + 1);
    }
    const raw = most / 4 || 1,
        power = 10 ** Math.floor(Math.log10(raw)),
        step = [1, 2, 2.5, 5, 10].find((s) => s * power >= raw * (1 - 1e-9)) * power,
        ticks = [0];
    while (ticks.at(-1) < most * (1 - 1e-9)) ticks.push(ticks.length * step);
    return ticks;
}

export class Curve {
    // chosen: a value was clicked
    constructor(row, changes, chosen) {
        Object.assign(this, { row, chosen });
        this.changes = { ...changes };
        delete this.changes[row.name];
        this.values = valuesOf(row);
        this.points = this.values.map(() => undefined);
        this.logarithmic = !row.parameter.names && this.values[0] > 0 && this.values.at(-1) / this.values[0] > 8;
        this.node = element("div", { className: "curve" });
    }

    // Whether it is of this machine, whatever the slider says.
    fits(changes) {
        const others = { ...changes };
        delete others[this.row.name];
        return JSON.stringify(others) === JSON.stringify(this.changes);
    }

    stop() {
        this.stopped = true;
        drop("numberscurve");
    }

    // All points from a sample of the passes, if there are many, then all from all passes. told: how many there are
    async time(told) {
        const began = performance.now(),
            order = orderOf(this.values.length);
        for (const sample of [true, false])
            for (const [done, i] of order.entries()) {
                told(sample ? done : order.filter((at) => this.isExact(at)).length, order.length);
                if (!this.isExact(i) && !(await this.timeOne(i, sample))) return;
                this.draw();
            }
        await this.findKnee();
        told(this.values.length, this.values.length, (performance.now() - began) / 1000);
        this.draw();
    }

    isExact(i) {
        return this.points[i] && !this.points[i].sampled;
    }

    // @return whether it is still wanted
    async timeOne(i, sample) {
        const value = this.values[i];
        try {
            const answer = await ask("numbers", { ...this.changes, [this.row.name]: value }, { lane: "curve", sample });
            if (!answer || this.stopped) return false;
            const sampled = answer.passes < answer.all_passes;
            if (sampled) answer.simulated_time_s = answer.estimated_time_s;
            answer.energy_j *= answer.all_passes / answer.passes;
            this.points[i] = { ...answer, value, sampled };
        } catch (fault) {
            if (!(fault instanceof Refused)) throw fault;
            this.points[i] = { error: fault.message, value };
        }
        return !this.stopped;
    }

    known() {
        return this.points.filter((point) => point && !point.error);
    }

    // That of `mercury sweep` over these machines; none if all cost the same.
    async findKnee() {
        const points = this.known(),
            costs = ["ramb18", "sram_chips", "energy_j"];
        const differs = costs.some((cost) => {
            const numbers = points.map((point) => point[cost]);
            return Math.max(...numbers) > Math.min(...numbers) * 1.0001;
        });
        if (!differs) return;
        const { knee, unpriced } = await ask("knee", {}, { points, lane: "curve" });
        this.knee = knee === null ? undefined : points[knee];
        this.unpriced = unpriced;
    }

    x(point) {
        const at = this.values.indexOf(point.value),
            [least, most] = [Number(this.values[0]), Number(this.values.at(-1))];
        let share = this.values.length > 1 ? at / (this.values.length - 1) : 0.5;
        if (!this.row.parameter.names && most > least)
            share = this.logarithmic
                ? Math.log(point.value / least) / Math.log(most / least)
                : (point.value - least) / (most - least);
        return LEFT + share * (WIDTH - LEFT - RIGHT);
    }

    draw() {
        const points = this.known();
        if (!points.length) return;
        const bottom = TOP + 2 * PANEL + GAP + GAP + STRIP;
        const picture = svg("svg", {
            viewBox: `0 0 ${WIDTH} ${bottom + 40}`,
            role: "img",
            "aria-label": `Time, throughput and bottleneck over ${this.row.name}`,
            "font-family": "Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif",
        });
        const most = Math.max(...points.map((point) => point.simulated_time_s)),
            [factor, unit] = answers.timeUnit(most);
        const times = points.map((point) => point.simulated_time_s * factor);
        this.drawPanel(picture, points, times, TOP, `simulated time [${unit}]`, "6");
        const throughputs = points.map((point) => point.throughput_mwmers_per_s);
        this.drawPanel(picture, points, throughputs, TOP + PANEL + GAP, "throughput [Mw-mers/s]", "8");
        this.drawLimits(picture, points, TOP + 2 * PANEL + GAP + 22);
        this.drawAxis(picture, points, bottom);
        this.drawTargets(picture, points, bottom);
        this.node.replaceChildren(...this.inWords(points), element("div", { className: "scroll" }, picture));
    }

    drawPanel(picture, points, numbers, top, title, colour) {
        const ticks = ticksOf(Math.min(...numbers), Math.max(...numbers)),
            scale = ticks[0] > 0 ? Math.log : (number) => number,
            [low, high] = [scale(ticks[0]), scale(ticks.at(-1))],
            y = (number) => top + PANEL - ((scale(number) - low) / (high - low)) * PANEL;
        picture.append(text(LEFT, top - 8, title + (ticks[0] > 0 ? ", logarithmic" : ""), { class: "bold" }));
        for (const tick of ticks)
            picture.append(
                svg("path", { class: "s4 thin", d: `M${LEFT} ${y(tick)}L${WIDTH - RIGHT} ${y(tick)}` }),
                text(LEFT - 6, y(tick) + 4, shownNumber(tick), { class: "f2", "text-anchor": "end", "font-size": 11 }),
            );
        const line = points.map((point, i) => `${i ? "L" : "M"}${this.x(point).toFixed(1)} ${y(numbers[i]).toFixed(1)}`);
        if (!this.row.parameter.names) picture.append(svg("path", { class: `s${colour} w2`, d: line.join("") }));
        points.forEach((point, i) => {
            const knee = point === this.knee,
                [x, at] = [this.x(point), y(numbers[i])];
            picture.append(
                knee
                    ? svg("path", { class: "f7 knee", d: `M${x} ${at - 8}L${x + 8} ${at}L${x} ${at + 8}L${x - 8} ${at}z` })
                    : svg("circle", { class: `${point.sampled ? "s" : "f"}${colour}`, cx: x, cy: at, r: 3 }),
            );
        });
    }

    // A strip of what limits the stream, with a line where that changes.
    drawLimits(picture, points, top) {
        const COLOURS = { host: 12, bus: 6, "1a": 9, "1bp": 8, "1bd": 11, 2: 10, 3: 7 };
        const edge = (i) => (this.x(points[i - 1]) + this.x(points[i])) / 2;
        picture.append(text(LEFT - 6, top + 12, "limit", { class: "f2", "text-anchor": "end", "font-size": 11 }));
        let begin = 0;
        for (let i = 1; i <= points.length; i++) {
            if (i < points.length && points[i].limit === points[begin].limit) continue;
            const from = begin ? edge(begin) : LEFT,
                to = i < points.length ? edge(i) : WIDTH - RIGHT,
                label = answers.stageName(points[begin].limit);
            picture.append(
                svg(
                    "rect",
                    { class: `f${COLOURS[points[begin].limit] ?? 12} limit`, x: from, y: top, width: to - from, height: STRIP },
                    svg("title", {}, `${label} limits from ${points[begin].value} to ${points[i - 1].value}`),
                ),
            );
            if (to - from > 7 * label.length)
                picture.append(text((from + to) / 2, top - 5, label, { "text-anchor": "middle", "font-size": 11 }));
            if (begin) picture.append(svg("path", { class: "s1 thin dash", d: `M${from} ${TOP}L${from} ${top + STRIP}` }));
            begin = i;
        }
    }

    drawAxis(picture, points, bottom) {
        const { parameter, value } = this.row;
        let end = -Infinity;
        for (const point of points) {
            const label = answers.shortValue(point.value, parameter.unit),
                x = this.x(point),
                half = 3.6 * label.length;
            if (x - half < end + 8 && point !== points.at(-1)) continue;
            if (point === points.at(-1) && x - half < end + 8) continue;
            picture.append(text(x, bottom + 14, label, { class: "f2", "text-anchor": "middle", "font-size": 11 }));
            end = x + half;
        }
        const unit = parameter.unit && parameter.unit !== "1" ? ` [${parameter.unit}]` : "";
        picture.append(
            text((LEFT + WIDTH - RIGHT) / 2, bottom + 32, `${nameOf(parameter.name)} (${parameter.name})${unit}`, {
                "text-anchor": "middle",
            }),
        );
        const now = points.find((point) => point.value === value);
        if (now)
            picture.append(
                svg("path", { class: "s1 w2 dash", d: `M${this.x(now)} ${TOP}L${this.x(now)} ${bottom}` }),
                text(this.x(now), TOP - 8, "now", { class: "bold", "text-anchor": "middle", "font-size": 11 }),
            );
    }

    // A pointer need not hit a mark: each point has the stretch around it.
    drawTargets(picture, points, bottom) {
        points.forEach((point, i) => {
            const x = this.x(point),
                from = i ? (x + this.x(points[i - 1])) / 2 : LEFT - 10,
                to = i + 1 < points.length ? (x + this.x(points[i + 1])) / 2 : WIDTH - RIGHT + 10;
            const target = svg(
                "rect",
                { class: "target", x: from, y: TOP, width: Math.max(0, to - from), height: bottom - TOP, "data-value": point.value },
                svg("title", {}, this.tipOf(point)),
            );
            target.addEventListener("click", () => this.chosen(point.value));
            picture.append(target);
        });
    }

    tipOf(point) {
        return (
            `${this.row.name} = ${point.value}: ${point.sampled ? "about " : ""}${answers.time(point.simulated_time_s)}, ` +
            `${point.throughput_mwmers_per_s.toPrecision(4)} Mw-mers/s, ${answers.partName(point.limit)} limits the stream; ` +
            `${point.ramb18} block RAMs of 18 Kb, ${point.sram_chips} SRAM chips, ${point.energy_j.toPrecision(3)} J` +
            `${point === this.knee ? ". The knee" : ""}. Click to take this value.`
        );
    }

    inWords(points) {
        const best = points.reduce((a, b) => (b.simulated_time_s < a.simulated_time_s ? b : a)),
            refused = this.points.filter((point) => point?.error);
        const value = (point) => `${this.row.name} = ${answers.shortValue(point.value, this.row.parameter.unit)}`;
        const most = Math.max(...points.map((point) => point.simulated_time_s)),
            words = [
                most > best.simulated_time_s * 1.0001
                    ? `Shortest: ${answers.time(best.simulated_time_s)} at ${value(best)}; longest: ${answers.time(most)}.`
                    : `The time ${this.points.every(Boolean) ? "does not change" : "has not changed so far"}.`,
            ];
        const sampled = points.find((point) => point.sampled);
        if (sampled)
            words.push(` Rings are of ${sampled.passes} of ${sampled.all_passes} passes, from which the run's time is estimated.`);
        if (this.knee)
            words.push(
                ` ◆ The knee, as mercury sweep has it, is ${value(this.knee)}: the ${this.unpriced ? "slowest" : "cheapest"} ` +
                    `of these machines that keeps 95% of the greatest speed (${answers.time(this.knee.simulated_time_s)})` +
                    `${this.unpriced ? "; none that keeps it costs less than the quickest" : ""}.`,
            );
        if (refused.length) words.push(` ${refused.length} values are refused: ${refused[0].error}.`);
        return [element("p", { className: "words" }, words.join(""))];
    }
}
