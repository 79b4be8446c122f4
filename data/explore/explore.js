// explore.js - the page: a change asks the server, and its answer is drawn; first of a sample, then exact.

import { ask, getMachine, Refused } from "./server.js";
import { Machine, followSummary, listenToCopies } from "./machine.js";
import { Tokens } from "./tokens.js";
import * as answers from "./answer.js";

const byId = (id) => document.getElementById(id);
let facts, machine, tokens, recorded, kept, shown;
let updates = 0;

function say(line) {
    const beside = machine?.say(line);
    byId("fault").textContent = line ?? "";
    byId("fault").hidden = !line || beside;
}

function draw(answer) {
    shown = answer;
    const changes = answer.changes;
    answers.showFigures(answer, kept ?? (Object.keys(changes).length ? recorded : undefined));
    answers.showComparison(answer, kept, changes, (name) => machine.find(name).parameter.value);
    answers.showParts(answer, kept);
    document.body.dataset.state = answer.exact ? "exact" : "sampled";
    byId("results").classList.remove("waits");
}

// Until there are other tokens nothing is known of the machine.
function wait() {
    byId("results").classList.remove("waits");
    byId("state").className = "state";
    byId("state").textContent = "still shown: the machine before";
    for (const id of ["limits", "fifos"]) byId(id).disabled = true;
}

// The machine of the sliders, timed: a sample of its passes at once if there are many, then all.
async function update() {
    const changes = machine.changes(),
        mine = ++updates;
    document.body.dataset.state = "waits";
    byId("advice").hidden = true; // it was for another machine
    byId("results").classList.add("waits");
    try {
        let answer = await ask("time", changes, { sample: true });
        for (let sampled; answer && mine === updates;) {
            say();
            if (answer.needs) {
                wait();
                tokens.need(answer, changes);
                return;
            }
            answer.changes = changes;
            for (const id of ["limits", "fifos"]) byId(id).disabled = false;
            tokens.shown(answer, machine.changesOfTokens());
            if (answer.exact && sampled) answers.calibrate(sampled, answer);
            if (answer.exact && !Object.keys(changes).length) recorded = answer;
            draw(answer);
            sampled = answer;
            answer = answer.exact ? undefined : await ask("time", changes);
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

// Ask for advice while its button waits.
async function advise(button, what, title, show) {
    const asked = updates;
    button.disabled = true;
    answers.showAdvice(title, "Machines are being timed …");
    try {
        const answer = await ask(what, machine.changes(), { sample: true });
        if (answer && asked === updates) show(answer); // else it is of another machine
    } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        if (asked === updates) answers.showAdvice(title, fault.message);
    }
    button.disabled = false;
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
    byId("keep").addEventListener("click", () => {
        kept = { ...shown, kept: true };
        byId("forget").hidden = false;
        draw(shown);
    });
    byId("forget").addEventListener("click", () => {
        kept = undefined;
        byId("forget").hidden = true;
        draw(shown);
    });
    byId("reset").addEventListener("click", () => {
        machine.take({});
        update();
    });
    byId("limits").addEventListener("click", (event) =>
        advise(event.target, "limits", "What limits next", answers.showLimits),
    );
    byId("fifos").addEventListener("click", (event) =>
        advise(event.target, "fifos", "The smallest FIFOs", (answer) => answers.showFifos(answer, use)),
    );
    byId("save").addEventListener("click", save);
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
    machine = new Machine(facts, update);
    tokens = new Tokens(update, () => {
        machine.leaveTokens();
        update();
    });
    listen();
    await update();
} catch (fault) {
    byId("fault").textContent = fault.message;
    byId("fault").hidden = false;
}
