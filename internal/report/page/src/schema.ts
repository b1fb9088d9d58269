// Made from report/schema/explanation-3.json; go test ./internal/report/page -run Types -update
// makes it anew.

/**  */
export type Repair = {
  /** Whether some supervisor that knows the progress made makes the property hold. */
  solvable: boolean;
  /** The transitions that must never be taken; others that would have to be are not come to without them. */
  never: {
    from: Count;
    label: Label;
    to: Count;
    /** The numbers of steps of the property done with which it must not be taken. */
    progress: Count[];
    /** Those with which runs come to its source at all. */
    comes: Count[];
    /** What is pending in these states of the property, of properties other than inevitability. */
    pending?: string[];
    /** Whether others with its label leave its source and may be taken. */
    others: boolean;
    /** Who forbids it; not there if that is not said. */
    owner?: string;
  }[];
  /** Strongly connected parts of what is left that no run must stay in forever. */
  not_for_ever: {
    states: {
      state: Count;
      progress: Count;
    }[];
    loop_labels: Label[];
    ways_out: PlaceStep[];
    /** Where it is there, a run may stay in the part forever unless it does one of each of these sets of transitions again and again. */
    again?: PlaceStep[][];
  }[];
  /** States, ascending, with whose choices no run stays in one of these parts forever, if they are fair: one that comes there again and again takes again and again every transition that may be taken. Absent where there are no such parts, and where none are known. */
  fair_choices?: Count[];
  /** Whether it is enough to forbid: there is no part to be left. */
  enough_alone: boolean;
  /** The nearest place at which a supervisor cannot do what it had to. */
  obstacle: null | {
    kind: "no correct run" | "uncontrollable" | "nondeterminism";
    state: Count;
    progress: Count;
    /** The labels of a way there. */
    path: Label[];
    transition: null | ModelStep;
    /** The values of the initial state to which the transition leads, without those that all initial states have; absent if it leads to no initial state. */
    values?: Values;
    /** Every run that begins in this initial state violates the property; absent if that is not known. */
    hopeless?: true;
  };
  /** The labels that oblige a run to something, which are not forbidden, in alphabetical order; absent where there are none. */
  triggers?: Label[];
  /** There where the property can be made true by forbidding triggers, and not without. */
  only_triggers?: {
    /** With everywhere, the fewest that it is enough never to do; otherwise all. */
    labels: Label[];
    /** Whether it is enough never to do them, and no supervisor that helps allows one of them anywhere. */
    everywhere: boolean;
    /** Without everywhere, a supervisor that may forbid triggers. */
    supervisor?: Repair;
  };
  /** A supervisor that forbids what the property prohibits itself; there where never are its causes instead. */
  restated?: Repair;
  /** What stays reachable if never is forbidden; absent where never is empty. */
  keeps?: Keeps;
  /** The fewest transitions without which the property holds, whatever happened before, with no new deadlock; absent where that takes more than 2, and where it is not known. */
  cut?: {
    transitions: {
      from: Count;
      label: Label;
      to: Count;
      /** The index of the step of the counterexample that first takes it; absent where none does. */
      step?: Count;
    }[];
    /** What stays reachable without them. */
    keeps?: Keeps;
  };
};

/** What a change keeps of the model. */
export type Keeps = {
  /** The number of states that stay reachable. */
  states: Count;
  /** The number of states that are reachable without the change. */
  of: Count;
  /** The labels that no run does any more, without those that the property prohibits, in alphabetical order; absent where there are none. */
  lost?: Label[];
};

/** A transition of the model itself, taken with a number of steps of the property done; of a property without steps, in a state of it. */
export type PlaceStep = {
  from: Count;
  label: Label;
  to: Count;
  progress: Count;
};

/** A transition of the model itself. */
export type ModelStep = {
  from: Count;
  label: Label;
  to: Count;
};

/**  */
export type Values = {
  name: string;
  value: string;
  /** The places within the value at which a step changes it, such as [1] or .type; absent where it is another value as a whole. Of what is new there is no before, of what is gone no after. */
  changes?: {
    path: string;
    before?: string;
    after?: string;
  }[];
}[];

/** How many, or which, counted from 0. */
export type Count = number;

/** The number of a state of the model; of the unfolded model: that number, a dot in the middle, and the progress, such as 67·1. */
export type State = number | string;

/** The text of a label of the model. */
export type Label = string;

/** The class of a transition: every maximal trace through it satisfies the property, none does, or some do; excluded where no run through it counts under the assumptions asked for. */
export type Class = "correct" | "incorrect" | "neutral" | "excluded";

/** The number of reachable transitions of each class. */
export type Classes = {
  correct: Count;
  incorrect: Count;
  neutral: Count;
  /** Those on no run that counts under the assumptions asked for; left out where there is none. */
  excluded?: Count;
};

/** Whether the property can still be satisfied with the progress made. */
export type Fate = "free" | "fated";

/** The kind of a neighbourhood, by the classes of its outgoing transitions. */
export type Kind = "correct" | "incorrect" | "mixed-neutral" | "mixed";

/** The model, and its size. */
export type Model = {
  file: string;
  initial: State;
  states: number;
  transitions: Count;
  /** The number of different labels. */
  labels: Count;
  /** How many initial states there are, if these are several. The initial state is then none of the system, but one that was added before them: neither it nor its transitions are counted. */
  initial_states?: number;
  reachable_states?: number;
  reachable_transitions?: Count;
  /** The number of reachable states without outgoing transitions. */
  deadlocks?: Count;
  /** The number of strongly connected components of the reachable part. */
  sccs?: number;
  /** The largest depth of a component. */
  depth?: Count;
};

/** The property that was looked at. */
export type Property = {
  /** Which kind of property it is. */
  kind: "inev" | "response" | "never" | "precedes" | "always" | "at_most" | "deadlock_free" | "ltl" | "hoa" | "mu_calculus" | "claim";
  /** The property, as inev writes it. */
  text: string;
  /** The formula as it was written; left out if that is text, but for blanks. */
  written?: string;
  /** The same property in ACTL; empty where it is not written so. */
  actl: string;
  /** The part of runs that it is about, as in "after A until B"; left out where that is the whole. */
  scope?: string;
  /** The steps of inevitability without a scope; other properties have none. */
  steps: {
    /** The step as it stands in the property. */
    pattern: string;
    /** The labels of the model that do it. */
    labels: Label[];
  }[];
};

/** A run of the model that violates the property. */
export type Counterexample = {
  /** How the run is shaped: it ends in a deadlock, in a loop that it goes round forever, where the model cannot satisfy the property any more, or where nothing could: a bad prefix, which needs no continuation. Of just runs also: it ends where all that is possible may be refused forever. */
  kind: "deadlock" | "lasso" | "trap" | "prefix" | "stop";
  /** What is possible where the run ends, all of which may be refused forever; absent unless it ends so. */
  refused?: string[];
  /** The number of transitions, those of the loop counted once: one less than the steps where the first one leads to one of several initial states. */
  length: Count;
  /** Whether no counterexample has fewer transitions, among the runs that minimal says; of a prefix, whether no run violates the property after fewer. If it was asked for with a pattern, among the counterexamples that do it. */
  shortest: boolean;
  /** Where no counterexample is shorter: in the model; in the product of model and property, among the runs whose loops close there, at least; or that was not found out. */
  minimal: "model" | "product" | "unknown";
  /** The product of model and property has no counterexample with fewer states, where the state that closes a loop counts twice; absent where no bound was asked for, or a counterexample is below it. */
  none_below?: number;
  /** The index of the step with which the loop begins; null where there is no loop. */
  loop_start: null | Count;
  steps: Step[];
  /** Where the run is told by its stem alone, for no run that counts and goes on from its end satisfies the property: the steps of the property, counted from 1, that none does in their order, the number of states that can still be met, and what can still be done. */
  trap?: {
    /** 0 of a property without steps, as the next one. */
    first: number;
    step: number;
    states: number;
    labels: Label[];
  };
  initial_pending?: Pending;
  /** How many steps of the property the run does in all, however often it goes round its loop: the next one never comes. */
  done: Count;
  /** The steps of the property that are done after the first round of the loop, in the order of the run. */
  late: Late[];
  /** Whether the run was given, and not searched for. */
  given: boolean;
  /** What was done to make a run of the model of the one that was given. */
  notes: string[];
  /** In a model that leaves open whether runs take steps that change nothing forever, as TLC's graphs do: whether each violating run does so (only), so that the property holds if other steps are eventually taken; or the number of transitions of a shorter violating run that does so, and among which of the other runs the one that is shown is a shortest. */
  idle?: {
    only: boolean;
    shorter?: number;
    minimal: "model" | "product" | "unknown";
  };
  /** The fate of the initial state. */
  initial_fate?: Fate;
};

/** A transition of the counterexample. */
export type Step = {
  /** Who takes the transition; absent unless that is known. */
  owner?: string;
  from: State;
  label: Label;
  to: State;
  class?: Class;
  /** The number of steps of the property done after it; 0 of a property that has none. */
  progress: Count;
  pending?: Pending;
  /** Whether from is a neighbourhood. */
  neighbourhood?: boolean;
  /** The fate after it. */
  fate?: Fate;
};

/** What a run waits for or must not do at a moment, of a property other than inevitability. */
export type Pending = {
  /** The state of the property. */
  state: Count;
  /** In words; empty where nothing is pending. */
  text: string;
};

/** A step of the property that a later round of the loop does. */
export type Late = {
  /** The round of the loop, counted from 1. */
  round: number;
  /** The step of the counterexample, counted from 1. */
  step: number;
  /** The number of steps of the property done after it. */
  progress: number;
};

/** A state at which it is decided whether the property holds. */
export type Neighbourhood = {
  state: State;
  kind: Kind;
  /** The length of a shortest path from the initial state. */
  distance_from_initial: Count;
  /** The transitions from reachable states that enter it, in the order of the model. */
  incoming: {
    from: State;
    label: Label;
    class: Class;
  }[];
  /** The transitions that leave it, in the order of the model. */
  outgoing: {
    label: Label;
    to: State;
    class: Class;
  }[];
  /** Whether the counterexample passes through the state. */
  on_counterexample: boolean;
  /** The labels of a shortest path from the initial state. Without --full, a path is left out that would make the labels of those listed more than 100000: inev path --to each lists all. */
  shortest_path?: Label[];
};

/** A transition that leaves a state of the counterexample. */
export type Choice = {
  label: Label;
  to: State;
  /** The class over all runs. */
  class: Class;
  /** The class for the run at hand, given the progress it has made; on a loop, that of the rounds that repeat forever. */
  after: Class;
  /** The same for the first round. */
  after_first: Class;
  /** Whether every run that takes it ends in a deadlock, although the model can go on forever from the state before it, and nothing is pending there. Only alternatives of decisions that do not lose the property have it; missing if it is false. */
  stops?: boolean;
  /** The values of the state after it that differ from those after the step of the run; their changes lead from the latter to the former. There for alternatives of decisions whose label does not identify them. */
  values?: Values;
};

/** A place on the counterexample: what was chosen there, and what could have been. */
export type Decision = {
  /** The number of the step that leaves it, counted from 1. */
  step: number;
  state: State;
  /** The kind of neighbourhood that the state is, over all runs; missing if it is none. */
  neighbourhood?: Kind;
  /** Whether the run passes the point of no return here. */
  point_of_no_return: boolean;
  /** The number of steps of the property done on arrival; on a loop, in the rounds that repeat forever. */
  progress: Count;
  /** The same for the first arrival. */
  progress_first: Count;
  /** The fate on arrival. */
  fate: Fate;
  /** Its place, from 1, in the order in which a fault is likely to be found: first the decisions that every run takes which violates the property, then the others, those near the end of the run first. */
  rank: number;
  /** The number of decisions that still lie between this one and the end of the run. */
  distance_to_bug: Count;
  chosen: Choice;
  /** Who makes the choice; absent unless that is known. */
  owner?: string;
  /** The place of the action in the specification: its definition, if it has one, else the first line that mentions it; absent where it is not known. */
  source?: {
    file: string;
    /** Counted from 1. */
    line: number;
    /** That of the line, without blanks around it. */
    text: string;
    definition: boolean;
    /** How many further lines mention it. */
    others: number;
  };
  /** The other transitions that leave the state, each once, in the order of the model. */
  alternatives: Choice[];
};

/** A transition that leaves the loop of a lasso. */
export type Exit = Choice & {
  /** The number of the step that the run takes instead, counted from 1. */
  step: number;
  from: State;
  /** Whether a shortest way to what the run waits for begins with it, on which the property is not lost; absent where not. */
  shortest?: true;
};

/** What inev explain --format json writes, and inev check, which leaves out the fields that it does not compute. State numbers and label texts are those of the model; bytes of a text that are no UTF-8 stand as \x and two digits. A later version of inev may add fields to the same schema, but does not change the meaning of these. */
export type Explanation = {
  /** The name and version of this schema. */
  schema: "inev.explanation/3";
  model: Model;
  property: Property;
  /** Whether every maximal trace of the model satisfies the property. */
  verdict: "violated" | "satisfied";
  /** What is probably not as it was meant, in the model or in the property. */
  warnings: string[];
  /** A run of the model that violates the property; null where it is satisfied. */
  counterexample: null | Counterexample;
  /** The abstracted counterexample: the transitions that enter or leave a neighbourhood, and the one that passes the point of no return; none where no run satisfies the property, null where all do. */
  abstracted?: null | {
    /** The number of transitions kept. */
    length: Count;
    /** Their indexes into the steps of the counterexample, ascending. */
    steps: Count[];
  };
  /** Why the counterexample violates the property, in one word and a few figures: the first kind that is true. Impossible: no run satisfies the property. Forbidden: something happens after which nothing satisfies it, whatever the model. Lost: the run passes a point of no return, and goes on. Stops: it ends, in a deadlock or where all that is possible is refused forever. Recurs: nothing is pending on its loop, but something does not stop. Starved: what is pending is possible on the loop. Turned back: it is not, but can be had from there. Null in the result of a check for which it would take long. */
  diagnosis?: null | {
    kind: "impossible" | "forbidden" | "lost" | "stops" | "recurs" | "starved" | "turned back";
    /** The part of the formula that the diagnosis is about, if the formula is an implication whose premises the run meets. */
    consequent?: string;
    /** Whether all actions of the loop are internal. */
    livelock: boolean;
    /** The labels of the model that would make progress at the end of the run. */
    pending: Label[];
    /** At how many places of the loop one of them is possible. */
    possible_in: Count;
    /** The number of places of the loop, each a state with the state of the property; 0 without such a diagnosis. */
    of: Count;
    /** The number of transitions of a shortest way from the loop up to and with one of pending, if none is possible on it; otherwise 0. */
    distance: Count;
    /** The numbers of the steps that this is about, counted from 1, ascending: step or instead, that into the state where the run stops, those of the loop at which one of pending is possible, or those that would have to stop; absent where it is about none. */
    steps?: number[];
    /** The step that decides, counted from 1: by which the property is lost, or what is forbidden happens. */
    step?: number;
    /** The first of the steps of the property, counted from 1, that no continuation does in their order. */
    first_lost?: Count;
    /** The last of them. */
    last_lost?: Count;
    /** What the run waits for, if that is about values of states, and one thing at all places: 'big = 4'; pending are labels that lead there then. */
    awaited?: string;
    /** The same about steps: <<A>>_vars of TLA+; pending are labels that some of them have. */
    awaited_step?: string;
    /** The values of states by which the run violates the property, if it is forbidden, impossible from the first state, or recurs: whatever the other values and actions are, and whatever follows. */
    values?: {
      /** Those of the state that the step leaves. */
      before: string[];
      /** Those of the state that the step leads to; without a step those of the first state, or of a state that comes again and again. */
      after: string[];
      /** Whether that is so of the action of the step only, and not of each. */
      action: boolean;
    };
    /** Whether that one, or what is pending of a property without steps, can no longer happen, whatever happens before it. */
    unreachable?: boolean;
    /** The labels that the run takes where one of pending is possible. */
    taken?: Label[];
    /** The labels of the loop that would have to stop, if nothing is pending. */
    recurring?: Label[];
    /** At most 2 labels of the loop that keep the run from the shortest way: if they, and perhaps labels that the loop does not have, happened finitely often, the property would hold; absent where there are none, and in the result of a check. */
    cause?: Label[];
    /** The shortest way. */
    way?: ModelStep[];
    /** The step that the run takes where that way leaves the loop, counted from 1. */
    instead?: number;
  };
  /** The conditions that the formula joins by 'and', and what the counterexample does to each; not there where it joins none, and where the property holds. */
  conjuncts?: {
    /** The condition as a formula by itself. */
    text: string;
    /** That of the run; absent where it is told by its stem, and can go on either way. */
    verdict?: "violated" | "satisfied";
    /** The step after which nothing satisfies a violated condition any more, counted from 1; absent where there is none. */
    step?: number;
    /** Whether nothing satisfies it from the start. */
    from_start?: boolean;
    /** What is pending of a violated condition at the end of the run, or all along its loop. */
    pending?: string;
  }[];
  /** What makes a neighbourhood: that all of its incoming transitions are neutral, or that some are. A state without incoming transitions is one in both readings. */
  neighbourhood_reading?: "all" | "some";
  classes?: Classes;
  /** The states at which it is decided whether the property holds, ascending. */
  neighbourhoods?: Neighbourhood[];
  /** The step by which the counterexample leaves its last free state; null where it has none. */
  point_of_no_return?: null | {
    /** The number of the step, counted from 1. */
    step: number;
    /** The last free state. */
    state: State;
    label: Label;
  };
  /** The places of the counterexample at which another transition would have been better for this run, with the progress it has made, and its point of no return; in its order. None if no run satisfies the property. */
  decisions?: Decision[];
  /** The step that is named where one step is: that of the point of no return, else the last decision; where the run decides nothing, the first step of the diagnosis, else the last step. Null for a run without steps. */
  deciding?: null | {
    /** Its number, counted from 1. */
    step: number;
    why: "point of no return" | "last decision" | "diagnosis" | "last step";
  };
  /** Where the explanation is about the unfolded model: what the model itself says, in which a state stands for all its histories. */
  folded?: {
    classes: Classes;
    /** The number of neighbourhoods. */
    neighbourhoods: Count;
    /** How many of them are on the counterexample. */
    decisions: Count;
  };
  /** The files with pictures that the same run wrote, in the order in which it wrote them; missing where it wrote none. */
  pictures?: {
    file: string;
    /** Sentences about what the picture leaves out, or shows otherwise than it was asked for. */
    omitted: string[];
  }[];
  /** The transitions that leave the loop of a lasso, in its order. */
  exits?: Exit[];
  /** The shortest way from the loop of a lasso to the step of the property that the run never does, after which the property is still possible; null where there is none. */
  way?: null | {
    /** The number of the step of the counterexample, counted from 1, instead of which the way is taken. */
    step: number;
    transitions: {
      from: State;
      label: Label;
      to: State;
    }[];
  };
  /** What the report says, sentence by sentence. The words may change from version to version, the kinds do not. */
  claims: {
    kind: string;
    /** The steps of the counterexample that it is about, counted from 1. */
    steps?: number[];
    text: string;
  }[];
  /** What would make the property hold and can be applied; absent where nothing can. */
  remedies?: {
    /** The number by which repair --apply takes the remedy. */
    number: number;
    /** The assumption under which the property holds, as --fair takes it; absent if transitions are to be left out. */
    assumption?: string;
    text: string;
  }[];
  /** What is known of the states of the counterexample; not there where the property holds, and where nothing is known. */
  values?: {
    /** All that states have values of, with their sorts where these are known. */
    parameters: {
      name: string;
      sort?: string;
    }[];
    /** The values in the state in which the run begins; none where nothing is known of it. */
    initial: Values;
    /** The steps, counted from 1, that change values, and the values that are others after them. */
    steps: {
      step: number;
      changed: Values;
    }[];
    /** Whether the parameters are the expressions that the reader asked to be shown. */
    chosen?: boolean;
  };
  /** What would have to be forbidden for the property to hold without new deadlocks, all labels but the internal actions i and tau being controllable; not there where the property holds, of large models, and where it was not asked for. Under assumptions it has a cut only, but for guards of inevitability under full fairness, and is not there without either. */
  repair?: Repair;
  /** What all runs have in common which violate the property; absent where it was not asked for, and where it would take too long. */
  necessity?: {
    /** The steps of the counterexample whose transitions every such run takes, counted from 1; a transition that it takes again is there once. */
    steps: number[];
    /** The steps whose transitions every such run takes that is no longer than this one; absent if that is not known. */
    steps_at_length?: number[];
    /** Whether all such runs stop where this one does, and the runs that stop there are all such. */
    stop: boolean;
    /** The state in which this one stops, if stop is true. */
    at?: Count;
    /** Transitions with each of which the property would hold, if they were possible where the run stops: guesses, the likeliest first. */
    missing?: ModelStep[];
  };
  /** Who could have prevented the violation, by refusing transitions of their own, whatever all others do and without new deadlocks; not there unless it is known who takes actions, where the property holds, of large models, and where it was not asked for. */
  prevention?: {
    /** Those who own a label of the model that may be forbidden. */
    owners: string[];
    /** The sets of owners who can, and cannot do without any of them; none if not even all together can. */
    minimal: string[][];
    /** The Shapley values of the owners, as fractions. */
    shares?: {
      owner: string;
      share: string;
    }[];
    /** Whether there are no other minimal sets. */
    complete: boolean;
    /** What the owners of the only minimal set forbid, each of them what is theirs, or what stands in the way of all owners; not there if there are several sets, and if it is too much to be told. */
    supervisor?: Repair;
  };
  /** Further counterexamples, where they were asked for: each is a shortest one among those that differ from each earlier one in a transition that matters. */
  another?: {
    run: Counterexample;
    /** For each earlier run, a transition of that run that this run never takes: that of its point of no return or, without one, of its last decision or, without decisions, one of its loop, or its last one. */
    avoids: {
      /** The number of the earlier run: 1 is the counterexample, 2 the first further one. */
      run: number;
      /** The first step of the earlier run that takes the transition, counted from 1. */
      step: number;
      from: Count;
      label: string;
      to: Count;
    }[];
    /** The number of first steps that this run has in common with the counterexample. */
    steps_in_common: Count;
    /** The step of this run that further ones do without, counted from 1; absent if each further one does without one step of its loop, whichever. */
    decides?: number;
  }[];
  /** What each violating run takes, where there are fewer further counterexamples than were asked for: one of these. Absent if the search was not complete. */
  every_violation_takes?: {
    /** The number of the run that takes it, too: 1 is the counterexample, 2 the first further one. */
    run: number;
    /** The step whose transition is taken, counted from 1; absent if all transitions of the loop of that run are. */
    step?: number;
  }[];
  /** A run that satisfies the property, as a diff to the counterexample: of those that take nothing that has to be forbidden, and do what triggers the property if the counterexample does, one with the fewest edits. What both do comes first, then what the counterexample goes on with, then what the correct run does. */
  nearest_correct?: {
    /** The number of steps that have to be removed and inserted where steps with the same label are the same. Of inevitability, nothing counts that the counterexample goes on with once the correct run is done; of other properties all does until its end, or once round its loop. */
    edits: Count;
    /** The number of steps, at the beginning, in which the runs are the same. */
    fork: Count;
    /** How many steps at the end the correct run repeats forever; absent where it does not. */
    loop?: number;
    /** Whether the correct run ends with the last step, in a deadlock; absent where it does not. */
    ends?: boolean;
    /** Whether another correct run may have fewer edits, since the search came to its limit or looked for a run that the specification allows; absent where not. */
    near?: boolean;
    steps: {
      /** Whether both runs do it, the counterexample alone, or the correct run alone. */
      op: " " | "-" | "+";
      from: Count;
      label: Label;
      to: Count;
      /** The number of steps of the property that the correct run has done after it; of a property without steps, its state. */
      progress: Count;
    }[];
  };
  /** Why the property holds, and how nearly it does not; not there where it is violated, and where it was not asked for. */
  holds?: {
    /** How many transitions it takes: of inevitability from the start, one for each step; of other properties after something has become pending, up to and with the transition that settles it. None if nothing is ever pending. */
    bounds: {
      /** The step of inevitability, counted from 1; of other properties the number of the condition. */
      step: number;
      /** What is pending, of properties other than inevitability. */
      of?: string;
      /** The largest number of transitions; null if there is none. */
      most: null | number;
      /** The smallest. */
      least: Count;
      /** The label of steps that are not counted, for they can come any number of times; missing where all are. */
      apart_from?: string;
    }[];
    /** What can come any number of times before the first that has no largest number; null if all have one. */
    unbounded: null | {
      /** The labels of a cycle, each once. */
      labels: Label[];
    };
    /** A run that takes the largest number, of inevitability for its last step: the first in the order of the model. Null if there is none. */
    slowest: null | {
      /** The number of the bound that it takes. */
      step: number;
      /** The number of its transitions, up to the last that counts. */
      length: Count;
      steps: {
        from: State;
        label: Label;
        to: State;
        /** The number of steps of the property done after it; 0 of a property without steps. */
        progress: Count;
        pending?: Pending;
      }[];
      /** The number of transitions before anything is pending; 0 of inevitability. */
      begins: Count;
      /** The places where another transition would have been faster. */
      faster: {
        /** The step that the run takes there, counted from 1. */
        step: number;
        /** The largest number of transitions left there. */
        left: Count;
        alternatives: {
          label: Label;
          to: State;
          /** The largest number with this transition, itself included. */
          most: number;
        }[];
      }[];
      /** The run goes on, and that does not matter. */
      loop_start: null;
    };
    /** The property holds for the wrong reason: it would whatever became of what it asks for. Not there where it does not. */
    nothing_asked?: {
      /** A pattern that never happens; empty if that is not known to be the reason. */
      never: string;
      /** Whether it would begin or end the scope, which is empty. */
      scope: boolean;
      /** The scope, if it happens outside, or if nothing happens there (scope is true). */
      within?: string;
      /** The elements that play no role. */
      asked: string[];
    };
    /** The elements that the property could do without: it still holds with false for them if they help it, and true otherwise. */
    no_role: {
      atom: string;
      /** The property that holds without it, which is the stronger one. */
      still: string;
      /** Why that is no good news. */
      because?: string;
    }[];
    /** The gates, or labels, whose transitions the property cannot do without; those in the property last. */
    rests_on: {
      gate: string;
      /** What a run could do without it: stop before it is done, or go round a loop forever. */
      kind: "deadlock" | "loop";
      /** Where it could stop. */
      state?: Count;
      /** Whether the property is about it. */
      step?: boolean;
    }[];
    /** By how much a property holds that allows something only at times; missing where that is not known. */
    margin?: {
      /** The pattern that is allowed at times or, for always, all the time; empty for freedom from deadlocks, the formula for an invariant of values. */
      of: string;
      /** The pattern before which it is not allowed. */
      after?: string;
      /** The pattern after which it is not allowed. */
      before?: string;
      /** With after the least number of transitions from the first one of that to the first one that follows; with before the least number from one to the first of that; for at_most the largest number on a run; for freedom from deadlocks and invariants of values the number of states that runs reach; otherwise the number of transitions that are not allowed, all out of reach, 0 if always allows every action of the model. */
      count: number;
      /** Of freedom from deadlocks how many of these states have only one transition; missing if none has. */
      one_way?: number;
      /** Of a bounded existence how often it is allowed. */
      times?: number;
    };
    /** Whether all of this was looked for. */
    complete: boolean;
    /** What was not, in words. */
    skipped?: string[];
  };
  /** How many of certain actions a violation takes; not there where that was not asked for. */
  faults?: {
    /** The patterns of these actions. */
    patterns: string;
    /** The smallest number of them on a run that violates the property; null if there is no such run, or none with finitely many. */
    least: null | Count;
    /** Whether it is violated, but only by runs with infinitely many. */
    only_for_ever: boolean;
    /** The smallest number after which the property can no longer hold, where fewer are enough for that. */
    lost_after?: Count;
    /** Whether the counterexample has no more of them than it takes, and is a shortest one of those. */
    fewest?: boolean;
  };
  /** Under which assumptions about infinite runs the property would hold; not there where it holds, and where it was not asked for. */
  fairness?: {
    /** The assumptions under which the verdict was asked for. */
    asked: {
      kind: "full" | "weak" | "strong" | "finitely" | "just" | "blocking";
      /** As they were written; each makes a task of every label. */
      tasks?: string;
      /** Whether self-loops are left out of the tasks. */
      nonstuttering?: boolean;
    }[];
    /** The verdict under each notion: without assumptions, weak and strong fairness of each label, full fairness. */
    chain?: {
      none: "violated" | "satisfied";
      weak: "violated" | "satisfied";
      strong: "violated" | "satisfied";
      full: "violated" | "satisfied";
    };
    /** The verdict on just runs, with nothing that may be refused; absent unless lanes say which components actions need. */
    just?: "violated" | "satisfied";
    /** The smallest fairness that makes a property of a specification in TLA+ hold if the specification has it, too; absent where it is not known. */
    lacking?: {
      /** The conditions, as the module can contain them. */
      conjuncts: string[];
      /** The name of the definition to which they are to be added. */
      specification?: string;
      /** Where the configuration names no such definition: what it says without them. */
      formula?: string;
      /** The change in PlusCal that adds the only one. */
      pluscal?: string;
      /** Whether no fairness of the actions in the next-state relation that were tried is enough. */
      unhelpful?: boolean;
      /** Whether full fairness is enough, then. */
      almost_surely?: boolean;
    };
    /** Whether a run that ends in a deadlock violates the property: then no assumption helps. */
    deadlock: boolean;
    /** What even full fairness does not bring about: in a state of the model, after a number of transitions of a shortest run to it and with the steps of the property done by then, the first step that no continuation does in its turn. */
    out_of_reach: null | {
      state: Count;
      steps: Count;
      progress: Count;
      property_step: number;
    };
    /** Minimal assumptions that make the property true, by kind, the smallest ones first. */
    assumptions: {
      /** The labels are done finitely often; runs are strongly, or weakly, fair to each label; the choices in the states are made again and again all ways. */
      kind: "finitely" | "strong" | "weak" | "choices";
      labels?: Label[];
      /** Where fairness was asked for: those of the tasks that are enough, by their names, or, where that is violated, those that have to be strong besides; not there where the property holds without them. */
      tasks?: string[];
      /** States of the model. */
      states?: Count[];
    }[];
    /** Whether the search for assumptions ended at its limit of work: there may be smaller ones, and better ones. */
    limit_reached?: boolean;
    /** The kinds of which not all of the smallest assumptions are given. */
    cut: ("finitely" | "strong" | "weak")[];
    /** Whether there are no other minimal sets of labels, of any size. */
    complete: boolean;
  };
  /** From where on nothing can satisfy the property any more; null where the counterexample is free to its end. */
  loss?: null | {
    /** The number of transitions of the counterexample after which it is fated. */
    steps: Count;
    /** The first step of the property, counted from 1, that no continuation does in its turn; 0 of a property without steps. */
    step: Count;
  };
  /** All shortest counterexamples, where they were asked for. */
  all_shortest?: {
    /** Their exact number, in decimal digits. */
    count: string;
    /** The first of them, in a fixed order. */
    listed: Counterexample[];
  };
  /** The steps that the counterexample was asked to do, as Inev(...). */
  pattern?: string;
  /** The time that each phase of the run took, in milliseconds, in the order of the phases. */
  timings_ms: Record<string, number>;
  /** What the run cost, where --stats asks for it. Like timings_ms, all of it but queue and search differs from run to run. */
  stats?: {
    /** The largest resident memory of the process until this was written, where the system tells it; elsewhere all memory that the runtime has asked for. */
    peak_memory_bytes: Count;
    /** The largest size of the heap. */
    peak_heap_bytes: Count;
    /** The peak memory divided by the transitions of the model. */
    bytes_per_transition?: number;
    transitions_read_per_second?: number;
    /** The queue by which states were ordered for common prefixes and suffixes. */
    queue?: "buckets" | "heap";
    /** What the search for the counterexample counted. */
    search?: {
      states_stored: Count;
      states_matched: Count;
      counterexamples_found: Count;
      /** The length of the counterexample, the state that closes a loop counted twice. */
      length_in_states: Count;
    };
  };
};
