// explore.js - the page: a change asks the server, and its answer is drawn; first of a sample, then exact.

import { ask, drop, getMachine, Refused } from "./server.js";
import { Machine, element, followSummary, listenToCopies } from "./machine.js";
import { Tokens } from "./tokens.js";
import { Curve } from "./curve.js";
import { PLACES, nameOf } from "./words.js";
import * as address from "./address.js";
import * as answers from "./answer.js";

const byId = (id) => document.getElementById(id);
let facts, machine, tokens, recorded, shown, curve;
let updates = 0;

// Machines that are kept: {letter, changes}, and their answers when they are there; one of them is drawn beside.
let kept = [],
    beside;

function say(line) {
    const found = machine?.say(line);
    byId("fault").textContent = line ?? "";
    byId("fault").hidden = !line || found;
}

// --- kept machines

const answered = () => kept.filter((one) => one.parts);

function textOf(changes) {
    const list = Object.entries(changes).map(([name, value]) => `${name} = ${value}`);
    return list.length ? list.join(", ") : "as recorded";
}

function freeLetter() {
    return [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((letter) => !kept.some((one) => one.letter === letter));
}

function showKept() {
    const button = (text, label, act) => {
        const node = element("button", { type: "button", title: label }, text);
        node.setAttribute("aria-label", label);
        node.addEventListener("click", act);
        return node;
    };
    byId("kept").hidden = !kept.length;
    byId("keep").disabled = !freeLetter();
    byId("kept").replaceChildren(
        "Kept:",
        ...kept.map((one) =>
            element(
                "span",
                { className: `machine${one === beside ? " beside" : ""}` },
                button(
                    `${one.letter}: ${textOf(one.changes)}${one.parts ? `, ${answers.time(answers.bestTime(one))}` : ""}`,
                    `Draw kept machine ${one.letter} beside this one`,
                    () => choose(one),
                ),
                button("Take", `Set the sliders as kept machine ${one.letter} has them`, () => {
                    machine.take(one.changes);
                    update();
                }),
                button("×", `Drop kept machine ${one.letter}`, () => forget(one)),
            ),
        ),
    );
}

function keep() {
    beside = { ...shown, letter: freeLetter() };
    kept.push(beside);
    address.write(machine.changes(), changesOfKept());
    draw(shown);
}

const changesOfKept = () => kept.map((one) => one.changes);

// Its pictures are drawn beside, on the same axes.
function choose(one) {
    beside = one;
    showKept();
    if (one.parts) update();
}

function forget(one) {
    kept = kept.filter((other) => other !== one);
    if (beside === one) beside = answered()[0];
    showKept();
    update();
}

const endsOf = (answer) => answer?.parts?.map((part) => part.ends);

// Where the axes of two answers end if both are drawn on the same ones; undefined if the second one's are these already.
function longerEnds(answer, other) {
    const ends = answer.parts.map((part, i) =>
        part.ends.map((end, k) => Math.max(end, other.parts[i].ends[k] ?? 0)),
    );
    return JSON.stringify(ends) === JSON.stringify(endsOf(other)) ? undefined : ends;
}

// Time a kept machine: because the page was loaded again, or because it needs longer axes.
async function timeKept(one, ends) {
    try {
        const answer = await ask("time", one.changes, { lane: "kept", ends });
        if (!answer || !kept.includes(one)) return false;
        if (answer.needs) throw new Refused("its tokens are not there any more");
        Object.assign(one, answer);
        return true;
    } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        kept = kept.filter((other) => other !== one);
        if (beside === one) beside = answered()[0];
        say(`kept machine ${one.letter} was dropped: ${fault.message}`);
        showKept();
        return false;
    }
}

async function timeAllKept() {
    for (const one of [...kept]) if (!one.parts && (await timeKept(one))) beside ??= one;
    if (beside) await update();
}

// --- this machine

function draw(answer) {
    shown = answer;
    const changes = answer.changes;
    const other = beside?.parts && beside;
    answers.showFigures(answer, other ?? (Object.keys(changes).length ? recorded : undefined));
    answers.showComparison(answer, answered(), other, changes, (name) => machine.find(name).parameter.value);
    answers.showParts(answer, other, lead);
    showKept();
    document.body.dataset.state = answer.exact ? "exact" : "sampled";
    byId("results").classList.remove("waits");
}

// The pictures beside get the same axes.
async function drawBeside(answer, mine) {
    const ends = beside?.parts && longerEnds(answer, beside);
    if (ends && (await timeKept(beside, ends)) && mine === updates) draw(answer);
    if (mine === updates) document.body.dataset.beside = beside ? "drawn" : "none";
}

// Until there are other tokens nothing is known of the machine.
function wait() {
    byId("results").classList.remove("waits");
    byId("state").className = "state";
    byId("state").textContent = "still shown: the machine before";
    disableQuestions(true);
}

function disableQuestions(disabled) {
    for (const id of ["limits", "fifos", "effects", "keep"]) byId(id).disabled = disabled;
}

// The machine of the sliders, timed: a sample of its passes at once if there are many, then all.
// row: whose slider was moved
async function update(row) {
    const changes = machine.changes(),
        mine = ++updates;
    address.write(changes, changesOfKept(), row?.name);
    document.body.dataset.state = "waits";
    document.body.dataset.beside = "waits";
    if (curve?.fits(changes)) curve.draw();
    else closeAnswer(); // it was for another machine
    for (const one of machine.rows) one.showEffect(""); // so were they
    byId("results").classList.add("waits");
    try {
        const ends = endsOf(beside);
        let answer = await ask("time", changes, { sample: true, ends });
        for (let sampled; answer && mine === updates;) {
            say();
            if (answer.needs) {
                wait();
                tokens.need(answer, changes);
                return;
            }
            answer.changes = changes;
            disableQuestions(false);
            tokens.shown(answer, machine.changesOfTokens());
            if (answer.exact && sampled) answers.calibrate(sampled, answer);
            if (answer.exact && !Object.keys(changes).length) recorded = answer;
            draw(answer);
            sampled = answer;
            if (answer.exact) await drawBeside(answer, mine);
            answer = answer.exact ? undefined : await ask("time", changes, { ends });
        }
    } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        if (mine !== updates) return;
        say(fault.message);
        byId("results").classList.remove("waits");
        document.body.dataset.state = "refused";
        byId("state").textContent = "refused: what is shown is the machine before";
    }
}

// The address has another machine: by Back, by a link, or because the page is loaded.
function take({ set, kept: machines }) {
    const was = new Map(kept.map((one) => [JSON.stringify(one.changes), one]));
    kept = [];
    for (const changes of machines.slice(0, 26))
        kept.push({ ...(was.get(JSON.stringify(changes)) ?? { changes }), letter: freeLetter() });
    beside = kept.find((one) => one.letter === beside?.letter && one.parts) ?? answered()[0];
    machine.take(set);
    showKept();
    return update();
}

// --- answers below the buttons

let asking = 0; // the newest question counts

function closeAnswer() {
    asking++;
    curve?.stop();
    curve = undefined;
    for (const lane of ["numbers", "fifos"]) drop(lane);
    byId("advice").hidden = true;
}

// Ask, with a bar. work: asks, and shows its answer; its argument says whether that is still wanted
async function advise(title, work) {
    closeAnswer();
    const mine = asking,
        wanted = () => mine === asking;
    answers.showAdvice(title);
    answers.showProgress();
    try {
        await work(wanted);
    } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        if (wanted()) answers.showAdvice(title, element("p", {}, fault.message));
    }
    if (wanted()) byId("advice-progress").hidden = true;
}

// Numbers of variants of this machine, one after the other, or undefined if nobody wants them any more.
async function timeAll(questions, wanted) {
    const list = [],
        began = performance.now(),
        changes = machine.changes();
    for (const [i, { set, ...question }] of questions.entries()) {
        answers.showProgress(i, questions.length, (performance.now() - began) / 1000);
        try {
            const numbers = await ask("numbers", { ...changes, ...set }, question);
            if (!numbers || !wanted()) return undefined;
            list.push(numbers);
        } catch (fault) {
            if (!(fault instanceof Refused) || i === 0) throw fault;
            list.push(undefined); // there is no such machine
        }
    }
    answers.showProgress(questions.length, questions.length, (performance.now() - began) / 1000);
    return list;
}

async function findLimits(wanted) {
    const list = await timeAll([{}, ...facts.parts.map(({ part }) => ({ free: part }))], wanted);
    if (!list) return;
    const free = facts.parts.map((part, i) => ({ ...list[i + 1], ...part }));
    answers.showLimits(
        list[0],
        free.filter((_, i) => list[i + 1]),
    );
}

async function findFifos(wanted) {
    const answer = await ask("fifos", machine.changes(), { sample: true });
    if (answer && wanted()) answers.showFifos(answer, use);
}

// Which slider changes the time most if its number is doubled.
async function findEffects(wanted) {
    const rows = machine.rows.filter((row) => !row.needsTokens && row.other() !== undefined);
    const list = await timeAll([{}, ...rows.map((row) => ({ set: { [row.name]: row.other() } }))], wanted);
    if (!list) return;
    const time = (numbers) => numbers.simulated_time_s,
        ratio = new Map(rows.map((row, i) => [row, list[i + 1] ? time(list[i + 1]) / time(list[0]) : 1]));
    const size = (row) => Math.abs(Math.log(ratio.get(row)));
    rows.sort((a, b) => size(b) - size(a));
    for (const row of rows)
        row.showEffect(`time ${answers.percent(ratio.get(row))} at ${answers.shortValue(row.other(), row.parameter.unit)}`);
    machine.arrange(rows);
    machine.search(byId("search").value);
    byId("effects").textContent = "By groups";
    const felt = rows.filter((row) => size(row) > 5e-5);
    answers.showAdvice(
        "Sliders by effect",
        element(
            "p",
            {},
            felt.length
                ? `Of ${rows.length} numbers ${felt.length} change the time if they are doubled (or halved, where they ` +
                      `cannot be doubled): most of all ${felt.slice(0, 3).map((row) => `${nameOf(row.name)} (${answers.percent(ratio.get(row))})`).join(", ")}.`
                : "No number changes the time if it is doubled.",
        ),
    );
}

function toggleEffects() {
    if (byId("effects").textContent !== "By groups") {
        advise("Sliders by effect", findEffects);
        return;
    }
    for (const row of machine.rows) row.showEffect("");
    machine.arrange();
    machine.search(byId("search").value);
    byId("effects").textContent = "Sort by effect";
}

function vary(row) {
    advise(`Vary: ${nameOf(row.name)}`, async (wanted) => {
        const mine = new Curve(row, machine.changes(), (value) => row.take(value));
        curve = mine;
        answers.showAdvice(`Vary: ${nameOf(row.name)}`, mine.node);
        await mine.time((...progress) => wanted() && answers.showProgress(...progress));
    });
}

// A box or a tank of the picture was clicked.
function lead(place, queue) {
    closeAnswer();
    byId("search").value = "";
    machine.search("");
    const rows = machine.lead(PLACES[place][2]);
    byId("advice-progress").hidden = true;
    byId("advice-took").textContent = "";
    answers.showPlace(place, queue, rows);
}

async function save() {
    try {
        const file = await ask("platform", machine.changes());
        if (!file) return;
        const link = document.createElement("a");
        link.href = URL.createObjectURL(file);
        link.download = "machine.xml";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        byId("state").textContent = "machine.xml saved: mercury run -p machine.xml";
    } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        say(fault.message);
    }
}

function use(set) {
    machine.take({ ...machine.changes(), ...set });
    update();
}

function listen() {
    byId("keep").addEventListener("click", keep);
    byId("reset").addEventListener("click", () => {
        machine.take({});
        update();
    });
    byId("limits").addEventListener("click", () => advise("What limits next", findLimits));
    byId("fifos").addEventListener("click", () => advise("The smallest FIFOs", findFifos));
    byId("effects").addEventListener("click", toggleEffects);
    byId("close-advice").addEventListener("click", closeAnswer);
    byId("search").addEventListener("input", () => {
        const count = machine.search(byId("search").value);
        byId("found").textContent = byId("search").value.trim() ? `${count} of ${machine.rows.length} sliders` : "";
    });
    byId("save").addEventListener("click", save);
    address.listen(take);
    followSummary();
    listenToCopies();
}

try {
    facts = await getMachine();
    byId("title").textContent = `${facts.query} × ${facts.database}`;
    document.title = `${facts.query} × ${facts.database} - Mercury explorer`;
    byId("inputs").textContent =
        `A recorded run of ${facts.passes} pass${facts.passes === 1 ? "" : "es"} (${facts.record}), ` +
        `timed again by mercury ${facts.version} for every change.`;
    machine = new Machine(facts, update, undefined, vary);
    tokens = new Tokens(update, () => {
        machine.leaveTokens();
        update();
    });
    listen();
    await take(address.read());
    await timeAllKept();
} catch (fault) {
    byId("fault").textContent = fault.message;
    byId("fault").hidden = false;
}
