// estimate.js - the page of estimates: a machine and a workload of texts, whose numbers have sliders.

import { ask, getChoices, Refused } from "./server.js";
import { Machine, element, followSummary, listenToCopies } from "./machine.js";
import { fragment, longer, time } from "./answer.js";

const TITLES = { nodeset: "Nodes", linkset: "Links", dataset: "Workload", distribution: "Distributions" };

const byId = (id) => document.getElementById(id);
let machine, first;
let updates = 0;

function say(line) {
    const beside = machine?.say(line);
    byId("fault").textContent = line ?? "";
    byId("fault").hidden = !line || beside;
}

function question() {
    const ofRun = byId("workload").value === "run";
    const field = (id) => (ofRun ? byId(id).value.trim() : "");
    return {
        machine: byId("machine-name").value,
        workload: byId("workload").value,
        nodes: byId("nodes").value.trim(),
        segments: field("segments"),
        database_bases: field("database-bases"),
        distribution: field("distribution"),
        synchronize: ofRun && byId("synchronize").checked,
        executed: byId("executed").checked,
    };
}

// Names of an object's numbers begin with the object's own, which has letters, digits, - and _ only.
function groupsOf(numbers) {
    return Object.entries(TITLES).flatMap(([object, title]) => {
        const names = new Set(numbers.filter((n) => n.of === object).map((n) => n.name.split(".")[0]));
        return names.size ? [[title, new RegExp(`^(${[...names].join("|")})\\.`), object !== "distribution"]] : [];
    });
}

function makeSliders(answer) {
    const form = element("form", { id: "machine", "aria-label": "Machine and workload", autocomplete: "off" });
    byId("machine").replaceWith(form);
    machine = new Machine({ parameters: answer.numbers }, update, groupsOf(answer.numbers));
    first = answer;
}

const lastOf = (answer) => answer.estimate.rows.at(-1);

function draw(answer) {
    const last = lastOf(answer),
        before = lastOf(first);
    byId("time-label").textContent = `estimated time on ${last.nodes} node${last.nodes === 1 ? "" : "s"}`;
    byId("time").value = time(last.estimated_s);
    byId("change").textContent =
        answer !== first && last.nodes === before.nodes
            ? `${longer(last.estimated_s / before.estimated_s)} before the changes`
            : "";
    byId("bottleneck").value = `${last.limit}, ${last.busy_percent.toFixed(0)}% of the time`;
    byId("state").textContent =
        last.executed_s === null ? "" : `executed in SimGrid: ${time(last.executed_s)}`;
    byId("command").textContent = answer.command;
    byId("parts").replaceChildren(fragment(answer.page));
    byId("results").classList.remove("waits");
    document.body.dataset.state = "estimated";
}

async function update() {
    const mine = ++updates;
    document.body.dataset.state = "waits";
    byId("results").classList.add("waits");
    try {
        const answer = await ask("estimate", machine?.changes() ?? {}, question());
        if (!answer || mine !== updates) return;
        if (!machine) makeSliders(answer);
        say();
        draw(answer);
    } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        if (mine !== updates) return;
        say(fault.message);
        byId("results").classList.remove("waits");
        document.body.dataset.state = "refused";
        byId("state").textContent = "refused: what is shown is the estimate before";
    }
}

// Other texts have other numbers.
function begin() {
    machine = undefined;
    for (const field of document.querySelectorAll(".of-run")) field.hidden = byId("workload").value !== "run";
    update();
}

function listen() {
    byId("questions").addEventListener("submit", (event) => event.preventDefault());
    for (const id of ["machine-name", "workload"]) byId(id).addEventListener("change", begin);
    for (const id of ["nodes", "segments", "database-bases", "distribution", "synchronize", "executed"])
        byId(id).addEventListener("change", update);
    byId("reset").addEventListener("click", () => {
        machine?.take({});
        update();
    });
    followSummary();
    listenToCopies();
}

function offer(id, names, chosen, texts = {}) {
    for (const name of names)
        byId(id).append(element("option", { value: name, selected: name === chosen }, texts[name] ?? name));
}

try {
    const choices = await getChoices();
    offer("machine-name", choices.machines, "mercury-cluster");
    offer("workload", choices.workloads, choices.workloads[0], { run: "this run" });
    listen();
    begin();
} catch (fault) {
    byId("fault").textContent = fault.message;
    byId("fault").hidden = false;
}
