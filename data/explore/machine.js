// machine.js - the sliders: a row for every number of the machine, in groups, which can be searched and sorted.

import { nameOf } from "./words.js";

const GROUPS = [
    ["FIFOs", /^fifo\./, true],
    ["Board and SRAM", /^(fpga\.clock|sram\.|stage2\.fetch|hsp\.)/, true],
    ["Bus and boards", /^(pcix\.|bus\.|boards)/, true],
    ["Host, stage 3 and schedule", /^(host\.|stage3\.|schedule\.)/, true],
    ["Tables, filter, scores: new tokens", /^(bloom\.|table\.|stage2\.|score\.|query\.|hash\.|distribution)/, true],
    ["Several hosts and their network", /^(hosts|network\.)/, false],
    ["Stamps and measuring: no time changes", /^(clock\.|measure\.)/, false],
];
const STEPS_PER_OCTAVE = 8;
const OCTAVES = 6;

const byId = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties))
        if (key in node && key !== "list") node[key] = value;
        else node.setAttribute(key, value);
    node.append(...children);
    return node;
}

function text(number, whole) {
    return whole ? String(Math.round(number)) : String(Number(number.toPrecision(4)));
}

// The numbers a slider stops at: octaves around what was recorded, in eighths; of small ranges every number.
export function stopsOf(parameter) {
    const recorded = Number(parameter.value),
        { least, most, whole } = parameter;
    const stops = new Set();
    const add = (value) => {
        if (value >= least && value <= most) stops.add(text(value, whole));
    };
    if (whole && (most - least <= 64 || recorded === 0))
        for (let value = least; value <= Math.min(most, least + 64); value++) add(value);
    else if (recorded < 0 && whole)
        for (let i = -OCTAVES * STEPS_PER_OCTAVE; i <= OCTAVES * STEPS_PER_OCTAVE; i++)
            add(recorded * 2 ** (i / STEPS_PER_OCTAVE));
    else if (recorded > 0)
        for (let i = -OCTAVES * STEPS_PER_OCTAVE; i <= OCTAVES * STEPS_PER_OCTAVE; i++)
            add(recorded * 2 ** (i / STEPS_PER_OCTAVE));
    else
        for (let i = 0; i <= 40; i++)
            add(Number((Math.max(least, -1) + (i / 40) * (Math.min(most, 1) - Math.max(least, -1))).toPrecision(6)));
    if (whole && least === 0 && recorded <= 64) for (let value = 0; value < 8; value++) add(value);
    if (parameter.unit === "1" && most === 1) add(1);
    const sorted = [...stops].map(Number).filter((value) => value !== recorded);
    sorted.push(recorded);
    sorted.sort((a, b) => a - b);
    return sorted.map((value) => (value === recorded ? parameter.value : text(value, whole)));
}

function nearestStop(stops, value) {
    let best = 0;
    stops.forEach((stop, i) => {
        if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = i;
    });
    return best;
}

const PREFIXES = [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
];

const SYMBOLS = { bytes: "B", "1/s": "/s" };

// A number as short as it is read: 1.5 k, 20 M.
export function shown(value) {
    const prefix = PREFIXES.find(([factor]) => value >= factor);
    return prefix ? `${Number((value / prefix[0]).toPrecision(4))} ${prefix[1]}` : String(Number(value.toPrecision(4)));
}

// A number with a prefix and its unit; nothing if it is read as easily as it stands.
export function prefixed(value, unit) {
    const prefix = /^(Hz|B\/s|1\/s|bytes)$/.test(unit) && PREFIXES.find(([factor]) => value >= factor);
    return prefix ? `${Number((value / prefix[0]).toPrecision(4))} ${prefix[1]}${SYMBOLS[unit] ?? unit}` : "";
}

// A number with its unit, as it is read aloud.
function spoken(value, unit) {
    return prefixed(value, unit) || (unit && unit !== "1" ? `${value} ${unit}` : String(value));
}

class Row {
    // vary: draw what this slider does; undefined: that cannot be asked
    constructor(parameter, changed, vary) {
        Object.assign(this, { parameter, changed, value: parameter.value });
        const { name, unit, meaning } = parameter;
        this.name = name;
        this.needsTokens = !parameter.timing;
        const id = `p-${name.replace(/\W/g, "-")}`;
        this.fault = element("p", { className: "fault", id: `${id}-fault`, hidden: true });
        this.spoken = element("span", { className: "unit" });
        this.entry = parameter.names ? this.makeChoice(id) : this.makeEntry(id);
        this.effect = element("span", { className: "effect" });
        const words = nameOf(name);
        const controls = element("div", { className: "controls" });
        if (!parameter.names) controls.append(this.makeSlider(id));
        controls.append(this.entry);
        this.node = element(
            "div",
            { className: "number" },
            element(
                "label",
                { htmlFor: this.slider?.id ?? this.entry.id },
                element("span", { className: words === name ? "name code" : "name" }, words),
                this.spoken,
            ),
            controls,
            element(
                "div",
                { className: "meaning" },
                ...(words === name ? [] : [element("code", {}, name), " "]),
                meaning + (unit && unit !== "1" ? ` [${unit}]` : ""),
                " ",
                ...(vary && parameter.timing ? [this.makeVary(vary)] : []),
                this.effect,
            ),
            this.fault,
        );
        this.show(this.value);
    }

    makeVary(vary) {
        const button = element("button", { type: "button", className: "vary" }, "Vary");
        button.setAttribute("aria-label", `Vary ${this.name}: what this slider does`);
        button.addEventListener("click", () => vary(this));
        return button;
    }

    // A value about twice as great, or half as great at the end of the range, or else the next one; undefined if none.
    other() {
        const stops = this.stops ?? this.parameter.names,
            number = Number(this.value),
            at = this.stops ? nearestStop(stops, number) : stops.indexOf(this.value),
            tried = this.stops && number ? [nearestStop(stops, 2 * number), nearestStop(stops, number / 2)] : [];
        return stops[[...tried, at + 1, at - 1].find((other) => other !== at && stops[other] !== undefined)];
    }

    showEffect(text) {
        this.effect.textContent = text;
    }

    makeChoice(id) {
        const choice = element("select", { id: `${id}-value` });
        for (const name of this.parameter.names) choice.append(element("option", { value: name }, name));
        choice.addEventListener("change", () => this.take(choice.value));
        return choice;
    }

    makeEntry(id) {
        const entry = element("input", {
            type: "text",
            id: `${id}-value`,
            inputMode: "decimal",
            "aria-label": `${this.parameter.name}, exact value`,
            "aria-describedby": `${id}-fault`,
            spellcheck: false,
        });
        entry.addEventListener("change", () => this.take(entry.value.trim()));
        return entry;
    }

    makeSlider(id) {
        this.stops = stopsOf(this.parameter);
        this.slider = element("input", {
            type: "range",
            id,
            min: 0,
            max: this.stops.length - 1,
            step: 1,
            "aria-describedby": `${id}-fault`,
        });
        const take = () => this.take(this.stops[this.slider.value]);
        this.slider.addEventListener(this.needsTokens ? "change" : "input", take);
        // what is made again is not made for every stop on the way
        if (this.needsTokens)
            this.slider.addEventListener("input", () => (this.entry.value = this.stops[this.slider.value]));
        return this.slider;
    }

    take(value) {
        if (value === this.value) return;
        this.show(value);
        this.changed(this);
    }

    show(value) {
        this.value = value;
        this.entry.value = value;
        if (this.slider) {
            if (this.stops[this.slider.value] !== value) this.slider.value = nearestStop(this.stops, Number(value));
            this.slider.setAttribute("aria-valuetext", spoken(value, this.parameter.unit));
        }
        this.spoken.textContent = prefixed(value, this.parameter.unit);
        this.node?.classList.toggle("changed", value !== this.parameter.value);
    }

    say(line) {
        this.fault.textContent = line ?? "";
        this.fault.hidden = !line;
        this.slider?.setAttribute("aria-invalid", Boolean(line));
        this.entry.setAttribute("aria-invalid", Boolean(line));
    }
}

export class Machine {
    // groups: of title, pattern of names, and whether it is open; vary: see Row
    constructor(facts, changed, groups = GROUPS, vary = undefined) {
        this.groups = groups;
        this.rows = facts.parameters.map(
            (p) =>
                new Row(
                    p,
                    (row) => {
                        this.last = row;
                        changed(row);
                    },
                    vary,
                ),
        );
        this.draw();
    }

    draw() {
        const form = byId("machine");
        form.addEventListener("submit", (event) => event.preventDefault());
        form.addEventListener("keydown", (event) => {
            // Enter takes a number that was typed; nothing is sent anywhere
            if (event.key === "Enter" && event.target.matches("input")) {
                event.preventDefault();
                event.target.dispatchEvent(new Event("change"));
            }
        });
        this.arrange();
    }

    // In the groups, or in one group if rows are given.
    arrange(rows) {
        const form = byId("machine");
        for (const details of form.querySelectorAll("details")) details.remove();
        const groups = rows ? [["By effect", /./, true]] : this.groups;
        const rest = new Set(rows ?? this.rows),
            wide = matchMedia("(min-width: 901px)").matches;
        for (const [title, pattern, open] of groups) {
            const group = element(
                "details",
                { open: open && (wide || title === groups[0][0]) },
                element("summary", {}, title),
            );
            for (const row of rows ?? this.rows)
                if (rest.has(row) && pattern.test(row.parameter.name)) {
                    group.append(row.node);
                    rest.delete(row);
                }
            form.append(group);
        }
        if (rest.size)
            form.append(
                element("details", {}, element("summary", {}, "Others"), ...[...rest].map((row) => row.node)),
            );
    }

    // Show only what a text is in. @return how many
    search(wanted) {
        const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
        let count = 0;
        for (const row of this.rows) {
            const { name, meaning } = row.parameter,
                all = `${name} ${nameOf(name)} ${meaning}`.toLowerCase(),
                found = words.every((word) => all.includes(word));
            row.node.hidden = !found;
            count += found;
        }
        for (const details of byId("machine").querySelectorAll("details")) {
            details.hidden = !details.querySelector(".number:not([hidden])");
            if (words.length && !details.hidden) details.open = true;
        }
        return count;
    }

    // Lead the person to the sliders whose names match.
    lead(pattern) {
        const rows = this.rows.filter((row) => pattern.test(row.name));
        for (const row of this.rows) row.node.classList.toggle("led", rows.includes(row));
        for (const row of rows) row.node.closest("details").open = true;
        const first = rows[0]?.slider ?? rows[0]?.entry;
        first?.focus({ preventScroll: true });
        rows[0]?.node.scrollIntoView({ block: "nearest" });
        return rows;
    }

    changes() {
        const set = {};
        for (const { parameter, value } of this.rows) if (value !== parameter.value) set[parameter.name] = value;
        return set;
    }

    // Names of what is not as recorded and needs other tokens.
    changesOfTokens() {
        return this.rows.filter((row) => row.needsTokens && row.value !== row.parameter.value).map((row) => row.name);
    }

    // Back to the run's own tokens: only what times them again stays changed.
    leaveTokens() {
        for (const row of this.rows) if (row.needsTokens) row.show(row.parameter.value);
        this.last = undefined;
    }

    take(set) {
        for (const row of this.rows) row.show(set[row.parameter.name] ?? row.parameter.value);
        this.last = undefined;
    }

    find(name) {
        return this.rows.find((row) => row.parameter.name === name);
    }

    // A line of the program's beside the number that it names, or else the one that was changed last.
    say(line) {
        for (const row of this.rows) row.say();
        if (!line) return true;
        const named =
            this.last && line.includes(this.last.parameter.name)
                ? this.last
                : (this.rows.find((row) => line.startsWith(`${row.parameter.name} `)) ?? this.last);
        named?.say(line);
        return Boolean(named);
    }
}

// The sliders and jumps stay below the figures.
export function followSummary() {
    new ResizeObserver(() => {
        document.documentElement.style.setProperty("--top", `${byId("summary").offsetHeight}px`);
    }).observe(byId("summary"));
}

// A browser that lets no page write to its clipboard gets the text selected.
async function copy(button) {
    const code = byId(button.dataset.copy);
    try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
    } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
    }
}

export function listenToCopies() {
    for (const button of document.querySelectorAll("[data-copy]"))
        button.addEventListener("click", () => copy(button));
}
