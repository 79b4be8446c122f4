// tokens.js - tokens of the page's own: what changes the stages' work needs them, they are made, and they can be left.

import { makeTokens, dropTokens, Refused } from "./server.js";
import { duration } from "./answer.js";

const byId = (id) => document.getElementById(id);

// What is expected to take less begins at once.
const AT_ONCE_S = 1;

function list(needs) {
    return Object.entries(needs)
        .map(([name, value]) => `${name} = ${value}`)
        .join(", ");
}

export class Tokens {
    // made: they can be timed now; leave: go back to the run's own; refused: they could not be made
    constructor(made, leave) {
        this.made = made;
        byId("make-tokens").addEventListener("click", () => this.make());
        byId("cancel-tokens").addEventListener("click", () => this.cancel());
        byId("own-tokens").addEventListener("click", leave);
        addEventListener("pagehide", dropTokens);
    }

    show({ note = "", fault = "", bar = false, make = "", own = true }) {
        byId("tokens").hidden = !note;
        byId("tokens-note").textContent = note;
        byId("tokens-fault").textContent = fault;
        byId("tokens-fault").hidden = !fault;
        byId("tokens-progress").hidden = !bar;
        byId("make-tokens").textContent = make;
        byId("make-tokens").hidden = !make;
        byId("cancel-tokens").hidden = !bar;
        byId("own-tokens").hidden = !own || bar;
    }

    // A machine needs other tokens than there are.
    need({ needs, expected_s: expected }, set) {
        const key = JSON.stringify(needs);
        if (this.making && !this.making.ready && this.making.key === key) {
            document.body.dataset.state = "making"; // they are on their way
            return;
        }
        this.stop();
        this.wanted = { key, needs, set, expected };
        if (expected !== null && expected < AT_ONCE_S) this.make();
        else this.offer();
    }

    offer(fault) {
        const { needs, expected } = this.wanted;
        document.body.dataset.state = "needs";
        this.show({
            note:
                `${list(needs)}: the tokens must be made again, ` +
                (expected === null ? "which takes as long as the run did." : `in about ${duration(expected)}.`),
            fault,
            make: fault ? "Run it again" : "Run it",
        });
    }

    async make() {
        const making = { ...this.wanted };
        this.making = making;
        document.body.dataset.state = "making";
        this.show({ note: `${list(making.needs)}: the tokens are made again.`, bar: true });
        byId("tokens-bar").removeAttribute("value");
        byId("tokens-left").textContent = "waiting for a process";
        try {
            await makeTokens(making.set, (line) => {
                if (this.making === making) this.hear(making, line);
            });
        } catch (fault) {
            if (!(fault instanceof Refused)) throw fault;
            if (this.making === making) this.fail(fault.message);
            return;
        }
        if (this.making !== making) return;
        if (making.ready) this.making = undefined;
        else this.fail("the server has given these tokens up");
    }

    hear(making, line) {
        if (line.error) throw new Refused(line.error);
        if (line.made_s !== undefined) {
            making.ready = true;
            this.made();
            return;
        }
        making.began ??= performance.now();
        const gone = (performance.now() - making.began) / 1000;
        byId("tokens-bar").value = line.share;
        byId("tokens-left").textContent =
            `${line.ended} of ${line.passes} pass${line.passes === 1 ? "" : "es"}` +
            (line.share > 0 && gone > 0.5 ? `, ${duration((gone * (1 - line.share)) / line.share)} left` : "");
    }

    fail(line) {
        this.making = undefined;
        this.offer(line);
    }

    // The person does not want to wait.
    cancel() {
        this.stop();
        this.offer();
    }

    stop() {
        if (this.making) dropTokens();
        this.making = undefined;
    }

    // What is shown now. Tokens that are made stay for the way back to them.
    shown(answer, names) {
        if (this.making && !this.making.ready) this.stop();
        this.show(
            answer.new_tokens
                ? { note: `Timed from tokens that were made again for ${names.join(", ")}.` }
                : { note: "", own: false },
        );
    }
}
