/** Why a session closed: a rule's name in words, what a person gave as a reason as it is. */

const RULES = {
  quiescent: "nobody had more to say", hops: "the agents had talked long enough among themselves", stalled: "nothing moved any more",
  decisions: "enough was decided", votes: "enough was voted on", turns: "all turns were taken", messages: "enough was said",
  seconds: "time was up", tokens: "the tokens were spent", micros: "the money was spent", budget: "the budget was spent",
  errors: "too much went wrong", "script over": "the script was over",
};

/** In words, where the floor names the rules that held. */
export function whyClosed(reason) {
  const rules = String(reason).split("+");
  return rules.every((one) => Object.hasOwn(RULES, one)) ? rules.map((one) => RULES[one]).join(", and ") : String(reason);
}
