/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Portolan: model checking with partial-order reduction.
 *
 * The whole library in one page.  You bring a system: an initial state, the
 * actions enabled in a state, what firing one does.  If you also say which
 * actions may enable, disable or not commute with which (the relations view),
 * every reduction works on it.  Or you open a model file and get all that.
 *
 * Contract of every call: the library never exits and never prints; what it
 * allocates is released by the matching _free; a call that fails returns a
 * status other than PORTOLAN_OK and fills the `struct portolan_error` it was
 * given (which may be NULL).  Distinct objects may be used from distinct
 * threads; one object may not be used from two threads at once.
 *
 * A program keeps running when the library grows.  What you fill begins with
 * its size, which a macro of its name sets: PORTOLAN_OPTIONS(.threads = 2).
 * Fields that your header does not know yet are zero, their default.  What the
 * library fills it also allocates, or it has room in reserve; only elements of
 * arrays (portolan_lists, portolan_access, portolan_touch) stay as they are.
 * New fields come at the end, nothing is moved or removed.
 */
#ifndef PORTOLAN_H
#define PORTOLAN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(PORTOLAN_API) /* nothing, in the runtime of C programs: a program may use the library, too */
#elif defined(__GNUC__)
#define PORTOLAN_API __attribute__((visibility("default")))
#else
#define PORTOLAN_API
#endif

#define PORTOLAN_VERSION "1.0.0"
/* That of the library which the program runs with, a static string. */
PORTOLAN_API const char *portolan_version(void);

/* A struct with its size and the fields given, the others zero.  Designators need C, or C++20. */
#ifdef __cplusplus
#define PORTOLAN_FILLED(name, ...)                                                                                     \
    name                                                                                                               \
    {                                                                                                                  \
        .size = sizeof(name), __VA_ARGS__                                                                              \
    }
#else
#define PORTOLAN_FILLED(name, ...)                                                                                     \
    (struct name)                                                                                                      \
    {                                                                                                                  \
        .size = sizeof(struct name), __VA_ARGS__                                                                       \
    }
#endif
#define PORTOLAN_RELATIONS(...) PORTOLAN_FILLED(portolan_relations, __VA_ARGS__)
#define PORTOLAN_FOOTPRINT(...) PORTOLAN_FILLED(portolan_footprint, __VA_ARGS__)
#define PORTOLAN_COLUMNS(...) PORTOLAN_FILLED(portolan_columns, __VA_ARGS__)
#define PORTOLAN_MESSAGES(...) PORTOLAN_FILLED(portolan_messages, __VA_ARGS__)
#define PORTOLAN_GRAPHS(...) PORTOLAN_FILLED(portolan_graphs, __VA_ARGS__)
#define PORTOLAN_RULES(...) PORTOLAN_FILLED(portolan_rules, __VA_ARGS__)
#define PORTOLAN_ENTITIES(...) PORTOLAN_FILLED(portolan_entities, __VA_ARGS__)
#define PORTOLAN_SYSTEM(...) PORTOLAN_FILLED(portolan_system, __VA_ARGS__)
#define PORTOLAN_OPTIONS(...) PORTOLAN_FILLED(portolan_options, __VA_ARGS__)

/* ------------------------------------------------------------------ errors */

enum portolan_status {
    PORTOLAN_OK = 0,
    PORTOLAN_NO_MEMORY,  /* an allocation failed */
    PORTOLAN_IO,         /* a file could not be read or written */
    PORTOLAN_BAD_INPUT,  /* a model, trace or expression is wrong; see line and column */
    PORTOLAN_BAD_OPTION, /* an option or a name is not known */
    PORTOLAN_REFUSED,    /* the combination asked for would not be sound */
    PORTOLAN_OVERFLOW,   /* a value outgrew every representation */
    PORTOLAN_STOPPED     /* a limit was reached before there was anything to tell: portolan_limits_begin */
};

struct portolan_error {
    enum portolan_status status;
    char file[256];    /* empty when there is none */
    unsigned line;     /* 1-based; 0 when there is none */
    unsigned column;   /* 1-based; 0 when there is none */
    char message[512]; /* what is wrong, one sentence without a full stop */
    char source[256];  /* the offending line, empty when unknown */
    char hint[256];    /* what to do about it, empty when there is nothing to say */
    uint64_t reserved[8];
};

/* One sentence for a status, a static string. */
PORTOLAN_API const char *portolan_status_text(enum portolan_status status);

/* ----------------------------------------------------------------- systems */

/* Lists of numbers, one list per index: list i is item[offset[i]] ... item[offset[i + 1] - 1]. */
struct portolan_lists {
    const uint32_t *offset;
    const uint32_t *item;
};

/*
 * The relations view.  A transition is enabled exactly when all its guards hold.
 * A user who knows no guards gives each transition one, "it is enabled".
 *
 * Every relation may say more than is true, never less: a larger relation
 * costs reduction, a smaller one costs soundness.  The search option
 * check_relations tests them on every visited state.
 */
struct portolan_relations {
    size_t size; /* PORTOLAN_RELATIONS sets it */
    uint32_t transitions;
    uint32_t guards;
    struct portolan_lists guards_of;     /* transition -> its guards */
    struct portolan_lists enablers;      /* guard -> every transition that may turn it from false to true */
    struct portolan_lists disablers;     /* guard -> every transition that may turn it from true to false, where one is
                                          * enabled that has it: what makes it false elsewhere disables nothing */
    struct portolan_lists not_commuting; /* transition -> those that end elsewhere in the other order; symmetric */
    /* transition -> those never enabled in the same reachable state; symmetric, each list increasing; offset NULL
     * when not known */
    struct portolan_lists never_together;
    bool (*holds)(const void *model, const void *state, uint32_t guard);
    /* optional: what a guard says, for explanations: "fork_2 >= 1" */
    void (*guard_text)(const void *model, uint32_t guard, char *text, size_t size);
    /*
     * Some transitions are fallbacks: enabled only where none is that is not one, as a timeout.  The last guard is
     * theirs, and says just that.  Its disablers are the fallbacks.  It has no enablers: a set that is explored alone
     * has a transition that stays enabled until one of the set is taken, and as long as that is so no fallback is.
     * Goal-directed sets, which have no such transition, are refused.
     */
    bool has_fallbacks;
    /* optional: guard -> a number below that of the guards, or UINT32_MAX; of the guards with the same number at most
     * one holds in a state */
    const uint32_t *exclusive;
    /* optional: does `holds` give this value for each of these guards? */
    bool (*all_are)(const void *model, const void *state, const uint32_t *guards, uint32_t count, bool value);
    /*
     * optional: transition -> the number of one of them, or UINT32_MAX; and a list for each number.  Of transitions
     * with the same number, as many as are enabled are a set that may be explored alone, whatever else these relations
     * say, unless one of them is visible, or one in the list of that number, with which they do not commute: it does
     * less where they come after it, and the rest of it then comes later.
     */
    const uint32_t *local;
    struct portolan_lists local_beside;
};

/*
 * The footprint view: who acts next, and what that step touches.  An agent (a thread, a
 * process, a transition of a net) has at most one next step in a state, determined by its own
 * past and by the objects that the step accesses.  Two steps of different agents commute, and
 * neither changes whether the other is enabled or what it touches, unless they access a common
 * object and one of them writes it.  These functions may be called from several threads at once.
 */
struct portolan_access {
    uint32_t object;
    bool writes;       /* else it only reads; a read-modify-write writes */
    bool synchronises; /* a lock, an atomic: two of these are never a data race */
    uint8_t group;     /* 0, or a kind of write: two of the same kind commute, as increments do */
};

#define PORTOLAN_NO_OBJECT UINT32_MAX             /* the step never waits */
#define PORTOLAN_SEVERAL_OBJECTS (UINT32_MAX - 1) /* whether it waits depends on several objects */

struct portolan_step {
    uint32_t action; /* of the system */
    bool enabled;    /* false: the agent has to wait */
    /* The object on whose value `enabled` depends, or one of the two above.  A step that waits for several lists all
     * that it could ever depend on among its accesses. */
    uint32_t waits_for;
    bool varies; /* what it touches depends on the values it finds (a compare-and-swap that fails only reads) */
    uint32_t access_count;
    struct portolan_access *accesses; /* given by the caller, with room for most_accesses; each object once */
};

struct portolan_footprint {
    size_t size;     /* PORTOLAN_FOOTPRINT sets it */
    uint32_t agents; /* numbered 0 ...; those that may be born later are counted */
    uint32_t objects;
    uint32_t most_accesses; /* of one step */
    /* The agent's next step, enabled or not.  False: it has ended, or is not born yet. */
    bool (*next)(const void *model, const void *state, uint32_t agent, struct portolan_step *step);
    /* The agent's next step in `state` as it would be if every object had the value it has in `earlier`: the agent
     * itself (where it is, its local variables) is as in `state`.  NULL: agents have nothing of their own. */
    bool (*next_as_if)(const void *model, const void *state, uint32_t agent, const void *earlier,
                       struct portolan_step *step);
    /* optional: names for reports, written to text; without them those of actions and variables are used */
    void (*agent_name)(const void *model, uint32_t agent, char *text, size_t size);
    void (*object_name)(const void *model, uint32_t object, char *text, size_t size);
    /* with in_columns: what the agent's next step does in this state, with the values it reads: "x := 42" */
    void (*step_text)(const void *model, const void *state, uint32_t agent, char *text, size_t size);
    /* optional: why the agent cannot go on, "waits for ...", "failed ..."; false when it can, or need not */
    bool (*standing)(const void *model, const void *state, uint32_t agent, char *text, size_t size);
    bool in_columns; /* agents are threads: a trace is shown as a table with a column for each */
    /* optional: where the agent is, "line 7", "ended"; false: there is nothing to be said */
    bool (*place)(const void *model, const void *state, uint32_t agent, char *text, size_t size);
};

/*
 * The columns view, for traces of systems that are made of processes: a table with a column for each, where the
 * footprint view, whose agents may be actions, does not offer one.
 */
struct portolan_columns {
    size_t size; /* PORTOLAN_COLUMNS sets it */
    uint32_t processes;
    uint32_t (*process_of)(const void *model, uint32_t action);
    void (*process_name)(const void *model, uint32_t process, char *text, size_t size);
    /* what the action does, without the name of its process */
    void (*text)(const void *model, uint32_t action, char *text, size_t size);
    /* why the process cannot go on, "waits at ...", "failed: ..."; false when it can, or need not */
    bool (*standing)(const void *model, const void *state, uint32_t process, char *text, size_t size);
};

/*
 * The messages view, for traces and message sequence charts: which processes there are, and what an action that is
 * enabled in a state receives and sends.
 */
enum portolan_message_event { PORTOLAN_RECEIVED, PORTOLAN_SENT, PORTOLAN_LOST };

struct portolan_message_receiver {
    void *user;
    /* once, first: the process that acts, and what it does, in a word or two; stops: it does nothing ever after */
    void (*acts)(void *user, uint32_t process, const char *text, bool stops);
    void (*message)(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text);
};

struct portolan_messages {
    size_t size; /* PORTOLAN_MESSAGES sets it */
    uint32_t processes;
    const char *(*process_name)(const void *model, uint32_t process);
    void (*tell)(const void *model, const void *state, uint32_t action,
                 const struct portolan_message_receiver *receiver);
    /* optional: tells of each message that is on its way in a state, as PORTOLAN_SENT; `acts` is not called */
    void (*waiting)(const void *model, const void *state, const struct portolan_message_receiver *receiver);
};

/*
 * The graphs view, for pictures: a state is a graph, and an action that is enabled in it finds, deletes, creates and
 * forbids parts of one.
 */
enum portolan_part { PORTOLAN_PRESENT, PORTOLAN_FOUND, PORTOLAN_DELETED, PORTOLAN_CREATED, PORTOLAN_FORBIDDEN };
enum portolan_part_label { PORTOLAN_EDGE, PORTOLAN_FLAG, PORTOLAN_TYPE };

struct portolan_graph_receiver {
    void *user;
    /* every node before edges at it; is_value: its name is its value.  Both return false when memory is exhausted. */
    bool (*node)(void *user, uint32_t node, const char *name, bool is_value, enum portolan_part part);
    /* flags and types are edges from a node to itself */
    bool (*edge)(void *user, uint32_t from, const char *label, enum portolan_part_label kind, uint32_t to,
                 enum portolan_part part);
};

#define PORTOLAN_NO_ACTION UINT32_MAX

struct portolan_graphs {
    size_t size; /* PORTOLAN_GRAPHS sets it */
    /* action: one that is enabled in the state, or PORTOLAN_NO_ACTION.  False when memory is exhausted. */
    bool (*tell)(const void *model, const void *state, uint32_t action, const struct portolan_graph_receiver *receiver);
    /* a state stands for all graphs that are isomorphic: an action of one state and one of the same name in another
     * need have nothing to do with each other */
    bool up_to_isomorphism;
};

/*
 * The rules view: what actions are instances of in the words of the model, a rule or a line, to tell which of them were
 * never done.  Without it each action stands for itself.
 */
#define PORTOLAN_NO_RULE UINT32_MAX

struct portolan_rules {
    size_t size;      /* PORTOLAN_RULES sets it */
    const char *noun; /* of one: "rule", "line"; NULL is "action" */
    const char *done; /* what becomes of it: NULL is "fired", "reached" fits a line */
    uint32_t count;   /* rules are numbered 0 ... count - 1 */
    /* NULL: each action is one and has its number; PORTOLAN_NO_RULE: of none (a message is lost) */
    uint32_t (*rule_of)(const void *model, uint32_t action);
    /* Writes what it is called; false when there is no rule of this number.  NULL: as the action is. */
    bool (*text)(const void *model, uint32_t rule, char *text, size_t size);
    /* optional: the rule of this name, or with this id; without it texts are compared */
    bool (*find)(const void *model, const char *name, uint32_t *rule);
};

enum portolan_fired {
    PORTOLAN_FIRED,      /* the successor has been written */
    PORTOLAN_TOO_NARROW, /* the successor does not fit: call widen, convert what is stored, try again */
    PORTOLAN_TOO_LARGE   /* the successor fits no layout: an overflow */
};

/* A property that a model file states itself: an assertion, an invariant. */
struct portolan_stated_property {
    int kind;         /* enum portolan_kind */
    const char *text; /* the expression */
    const char *name; /* for people: "assertions hold" */
    bool lasting;     /* once broken it stays so: the end of an execution tells */
    uint64_t reserved[2];
};

struct portolan_system;

/*
 * The entities view: a state is a count for each entity, and an action touches
 * a few of them.  Where entities are only there or not there, counts are 0 and 1:
 *
 *              low  high         change
 *     read       1  UINT32_MAX        0
 *     forbidden  0  0                 0
 *     deleted    1  UINT32_MAX       -1
 *     created    0  0                +1
 *
 * Neither entities nor actions need be known in advance: they are numbered from
 * 0 as they are met, and the numbers mean nothing outside the opened view.
 */
struct portolan_touch {
    uint32_t entity;
    uint32_t low, high; /* the action is enabled exactly when low <= count <= high for each of its touches */
    int32_t change;     /* what firing it adds to the count */
};

/* Numbers that a view hands over; give() is called once per number and returns false when memory is exhausted. */
struct portolan_receiver {
    bool (*give)(void *user, uint32_t number);
    void *user;
};

struct portolan_entities {
    size_t size;      /* PORTOLAN_ENTITIES sets it */
    const char *name; /* systems may offer several views: "symbolic", "explicit" and "identity" for nets */
    /* NULL when memory is exhausted.  The system must outlive the view. */
    void *(*open)(const struct portolan_system *system);
    void (*close)(void *view);
    /* How many entities were met so far.  Arrays of counts below have at least that many entries; what is met
     * during a call has count 0 in them. */
    uint32_t (*entities)(const void *view);
    /* Writes the counts of the initial state. */
    void (*initial)(const void *view, uint32_t *count);
    /* Gives every action that is enabled with these counts, each once; false when memory is exhausted. */
    bool (*enabled)(void *view, const uint32_t *count, const struct portolan_receiver *receiver);
    /* Gives every action that touches the entity and might be enabled when each entity e has some count from
     * low[e] to high[e], independently of the others; it may give more. */
    bool (*possible)(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                     const struct portolan_receiver *receiver);
    /* The touches of an action, at most one per entity, by increasing entity; valid until the next action is met. */
    const struct portolan_touch *(*touches)(const void *view, uint32_t action, uint32_t *count);
    /* The action of the system, as it stands in traces. */
    uint32_t (*action)(const void *view, uint32_t action);
    /* Writes the state with these counts; as for fire, it may be too narrow or too large. */
    enum portolan_fired (*state)(const void *view, const uint32_t *count, void *state);
    /* optional, for views in which several arrays of counts stand for the same state: numbers the states that it is
     * asked about, from 0 on; UINT32_MAX when memory is exhausted */
    uint32_t (*state_number)(void *view, const uint32_t *count);
    /* optional: the action as explanations show it, where the name of the system's action does not tell which it is;
     * text is cut to size and ended by 0 */
    void (*action_text)(const void *view, uint32_t action, char *text, size_t size);
    /* optional: did the last call of `possible` return false because there are too many actions to list? */
    bool (*gave_up)(const void *view);
    /* optional, where finding actions is most of the work: what it has cost since the view was opened, in units of
     * about 200 instructions */
    uint64_t (*work)(const void *view);
};

#define PORTOLAN_ACTIONS_ON_THE_FLY UINT32_MAX

/* How the successors of states are found, where a model can be compiled; they are the same. */
enum portolan_engine {
    PORTOLAN_INTERPRETED,
    PORTOLAN_NATIVE_WHEN_LONG, /* a search that goes on for long has the system's compiler run beside it */
    PORTOLAN_NATIVE            /* from the beginning, as far as there is a compiler */
};

/* The type of a variable, which expressions check. */
enum portolan_type_kind { PORTOLAN_INTEGER, PORTOLAN_BOOLEAN, PORTOLAN_ENUMERATION };

struct portolan_type {
    enum portolan_type_kind kind;
    const char *name;          /* of an enumeration; NULL when it has none */
    const char *const *values; /* of an enumeration: the name of value 0, 1, ... */
    uint32_t value_count;
    bool is_partial; /* it may have no value: PORTOLAN_NO_VALUE */
};

#define PORTOLAN_NO_VALUE INT64_MIN

/*
 * A system.  States are byte strings of state_bytes; two states are equal
 * exactly when their first key_bytes are.  It needs state_bytes, actions and
 * the functions initial, enabled (or find_enabled) and fire; all else may be zero.
 *
 * Actions are counted in advance, or found on the fly: then `actions` is
 * PORTOLAN_ACTIONS_ON_THE_FLY, and the system numbers an action when it first meets it,
 * from 0 on without gaps.  A number means the same action as long as the system lives, whoever asks.
 * Relations, `changers` and `stops` speak of actions that are counted in advance, so such a system has none.
 */
struct portolan_system {
    size_t size;        /* PORTOLAN_SYSTEM sets it; 0 in a system that the library has made */
    void *model;        /* yours: passed to every function */
    const char *name;   /* of the model */
    const char *format; /* of the language, "pnml" for one */
    size_t state_bytes; /* a multiple of 8 */
    size_t key_bytes;   /* at most state_bytes; 0: all of them */
    uint32_t actions;   /* numbered 0 ... actions - 1; or PORTOLAN_ACTIONS_ON_THE_FLY */

    void (*initial)(const void *model, void *state);
    /* Writes the enabled actions, each once, returns how many; out has room for all. */
    uint32_t (*enabled)(const void *model, const void *state, uint32_t *out);
    /* Instead of `enabled`, for actions found on the fly: gives every enabled action, each once, and numbers those that
     * are new; false when memory is exhausted, or at once when give() returns false.  Several threads call it at once
     * only if options.threads says so; where the footprint view numbers actions too, that may happen in any case. */
    bool (*find_enabled)(void *model, const void *state, const struct portolan_receiver *receiver);
    /* action must be enabled in state; successor may not overlap state. */
    enum portolan_fired (*fire)(const void *model, const void *state, uint32_t action, void *successor);

    /* optional: completes a state of which only the first key_bytes are given */
    void (*restore)(const void *model, void *state);
    /*
     * optional: another system of the same model, whose states take little room and widen as values grow.  A search
     * that stores states works on one, so what was opened never changes: its own states are wide enough for every
     * value. portolan_system_free releases it; the system itself must live longer.  May be called from several threads
     * at once; NULL when memory is exhausted.
     */
    struct portolan_system *(*compact)(const struct portolan_system *system);
    /* of a compact system: what it was made of, and a state of this one written as a state of that one */
    const struct portolan_system *opened;
    void (*open_state)(const void *model, const void *state, void *opened_state);
    /* optional: a wider layout after PORTOLAN_TOO_NARROW; state_bytes and key_bytes may change */
    enum portolan_status (*widen)(struct portolan_system *system);
    /* with widen: rewrites a state of the layout before the last widen into the present one */
    void (*convert)(const void *model, const void *old_state, void *new_state);

    /* optional: what PORTOLAN_TOO_LARGE means: "a queue is full"; NULL: a count cannot be held */
    const char *too_large;
    /* with too_large: the model is larger than what was made of it, so that a search that gets there is undecided
     * (PORTOLAN_STOPPED), which otherwise is an error of the model (PORTOLAN_OVERFLOW) */
    bool is_bounded;

    /* optional: names; strings live as long as the model.  Of actions found on the fly: action_name gives NULL for a
     * number that stands for none yet, find_action may number one that has not been met. */
    const char *(*action_name)(const void *model, uint32_t action);
    bool (*find_action)(const void *model, const char *name, uint32_t *action);
    /* optional: integer variables (places of a net) for expressions and for printing */
    uint32_t variables;
    uint32_t unlisted; /* numbered behind those: variables that can be asked for (where a thread is), not printed */
    const char *(*variable_name)(const void *model, uint32_t variable);
    bool (*find_variable)(const void *model, const char *name, uint32_t *variable);
    /* optional: may the name of an action (or variable) mean several?  Expressions refuse it then, and give the advice
     */
    bool (*is_ambiguous)(const void *model, bool is_action, const char *name, char *advice, size_t size);
    int64_t (*value)(const void *model, const void *state, uint32_t variable);
    /* optional: the type of a variable, whose values must outlive the system; NULL, or without this: an integer */
    const struct portolan_type *(*variable_type)(const void *model, uint32_t variable);
    /* optional: why value gave PORTOLAN_NO_VALUE; without this, that is a number like any other */
    void (*why_no_value)(const void *model, const void *state, uint32_t variable, char *text, size_t size);
    /* optional: a value as the model writes it, for printing ("committed", "true") */
    void (*value_text)(const void *model, uint32_t variable, int64_t value, char *text, size_t size);
    /* optional (offset NULL: not known): the actions that may change a variable */
    struct portolan_lists changers;
    /* a state with larger variables can do all that one with smaller ones can, with the same changes */
    bool monotone;

    /* optional: a state in which nothing is enabled and nothing need be: a proper end, not a deadlock */
    bool (*is_final)(const void *model, const void *state);
    /* optional: what the model itself asks to be checked besides deadlocks */
    const struct portolan_stated_property *stated;
    size_t stated_count;

    /*
     * optional: actions that only stop something.  What can happen after one of them can happen without it too and
     * leads to a state that differs in nothing but the variables it changes, and it brings about no deadlock.  So a
     * reduction may do without them when no property reads these variables: leave_out makes another system of the same
     * model, with the same states, in which they are never enabled.  For its life and for threads see `compact`.
     */
    struct portolan_lists stops; /* one list */
    struct portolan_system *(*leave_out)(const struct portolan_system *system);

    const struct portolan_relations *relations; /* NULL: no static reduction */
    const struct portolan_footprint *footprint; /* NULL: no stateless search */
    const struct portolan_messages *messages;   /* NULL: not made of processes that exchange messages */
    const struct portolan_rules *rules;         /* NULL: each action stands for itself */
    /* the entities views that the system offers, ended by NULL, the best first; NULL when there is none */
    const struct portolan_entities *const *entities;
    void (*destroy)(void *model);         /* optional: called by portolan_system_free */
    const struct portolan_graphs *graphs; /* NULL: states are no graphs */
    /* optional: why there is no entities view, appended to the message of the error, with the place and what to do */
    void (*why_no_entities)(const void *model, struct portolan_error *error);
    /* optional, with changers, where variables hold 32 bits and are all there is to a state: what the action adds to
     * the variable whenever it is fired.  False: that depends on the state. */
    bool (*change)(const void *model, uint32_t action, uint32_t variable, int64_t *by);
    /* enabled actions keep others from happening that share nothing with them; so there are no views */
    bool has_priorities;
    /* optional: what an action does, in the model's own words, printed beside its name; false: nothing is said */
    bool (*action_text)(const void *model, uint32_t action, char *text, size_t size);
    /* optional: how states are printed where that is not by variables: part `part` of one ("todo", "<(1)> + 2*<(2)>"),
     * by the values of all variables; false: there are fewer parts */
    bool (*state_part)(const void *model, const int64_t *values, uint32_t part, const char **name, char *text,
                       size_t size);
    /* optional: enabled and fire at once: the enabled actions, and behind each other their successors, state_bytes
     * each; there are at most most_enabled.  PORTOLAN_NO_SUCCESSORS: nothing is said, enabled and fire tell. */
    uint32_t (*successors)(const void *model, const void *state, uint32_t *out, void *successors);
    uint32_t most_enabled;
    /* optional, of a compact system: called now and then by a search that has expanded so many states; enabled, fire
     * and successors may be faster ones afterwards.  all: it will fire whatever is enabled.  False: those that it had
     * so far were found to be wrong. */
    bool (*quicken)(struct portolan_system *system, enum portolan_engine engine, bool all, uint64_t expanded);
    bool is_native; /* they are compiled code */
    /* optional: is_final is false only because what it asks has no value, and why; false: that is not so */
    bool (*why_not_final)(const void *model, const void *state, char *text, size_t size);
    /* optional, where states are numbers of things that the model keeps: the memory that it needs for these */
    size_t (*bytes)(const void *model);
    /* there are states within what the model takes for one step: invariants see them, formulas and fairness overlook
     * them where `resting` tells which they are, and are refused where it does not */
    bool rests_within_steps;
    const struct portolan_columns *columns; /* NULL: traces are lists, or tables of the footprint's agents */
    /* of a compact system, optional: a state of the opened one written as one of this; PORTOLAN_TOO_NARROW: after widen
     * it fits better */
    enum portolan_fired (*close_state)(void *model, const void *opened_state, void *state);
    /* with it, so that states can be kept in files: writes what the present layout is, unless description is NULL;
     * returns its bytes, always as many for one model */
    size_t (*describe_layout)(const void *model, void *description);
    /* and writes a state that had such a layout as one of the opened system; false: it is no layout of this model */
    bool (*open_described)(const void *model, const void *description, const void *state, void *opened_state);
    /* optional: what the action prints for who reads a trace, on one line; false: nothing */
    bool (*prints)(const void *model, const void *state, uint32_t action, char *text, size_t size);
    /* optional: what has failed and why, "P failed: division by zero"; false: nothing has */
    bool (*failure)(const void *model, const void *state, char *text, size_t size);
    /* optional, with rests_within_steps: 1 + the variable that is not 0 in such a state, and 0 in every other one */
    uint32_t resting;
    /* where nothing can happen any more the model has an action that says so, as something watches it from within: its
     * states without enabled actions are no deadlocks, and there is no property of that */
    bool never_ends;
};

#define PORTOLAN_NO_SUCCESSORS UINT32_MAX

/*
 * Makes a system of what you filled, for all functions below.  The structs are copied; the model, and the lists and
 * strings they point to, must live as long as the system.  portolan_system_free releases it and calls `destroy`.
 */
PORTOLAN_API enum portolan_status portolan_system_new(const struct portolan_system *yours,
                                                      struct portolan_system **system, struct portolan_error *error);
PORTOLAN_API void portolan_system_free(struct portolan_system *system);

/* ------------------------------------------------------------------ limits */

enum portolan_stop { /* why something ended */
                     PORTOLAN_COMPLETE,
                     PORTOLAN_DECIDED, /* every property had its answer before everything was seen */
                     PORTOLAN_TIME_LIMIT,
                     PORTOLAN_MEMORY_LIMIT,
                     PORTOLAN_STATE_LIMIT, /* of states, or of executions */
                     PORTOLAN_DEPTH_LIMIT, /* an execution went on and on */
                     PORTOLAN_INTERRUPTED,
                     PORTOLAN_DIVERGES,         /* the algorithm calls itself deeper and deeper */
                     PORTOLAN_PREEMPTION_LIMIT, /* everything within the bound on preemptions was seen */
                     PORTOLAN_STEP_LIMIT,       /* everything within the bound on steps was seen */
                     PORTOLAN_PARTIAL,          /* all that a reduction explores which may leave something out */
                     PORTOLAN_FORGETFUL, /* all that a store could tell apart which may take two states for one */
                     PORTOLAN_DISK_FULL, /* where portolan_options.spill keeps states */
                     PORTOLAN_SHARD      /* all of one shard of several */
};

struct portolan_limits;

/*
 * Limits of all that the calling thread has the library do until portolan_limits_end: opening a model, translating
 * a property, searching, replaying.  A call that reaches one returns PORTOLAN_STOPPED soon, a search instead what it
 * has covered.  seconds is time from now, bytes what the process may have in memory, `interrupt` a flag that asks to
 * end; 0 and NULL are none.  Limits may be nested; those begun last are ended first.  NULL: out of memory.
 */
PORTOLAN_API struct portolan_limits *portolan_limits_begin(double seconds, size_t bytes,
                                                           const volatile sig_atomic_t *interrupt);
/* Which has been reached; PORTOLAN_COMPLETE: none. */
PORTOLAN_API enum portolan_stop portolan_limits_reached(const struct portolan_limits *limits);
PORTOLAN_API void portolan_limits_end(struct portolan_limits *limits);

/* -------------------------------------------------------------- model files */

/* Opens a model file, to be released by portolan_system_free; the language follows from its name and content ("-" reads
 * PNML from standard input). */
PORTOLAN_API enum portolan_status portolan_open(const char *path, struct portolan_system **system,
                                                struct portolan_error *error);
/* The same with other values for constants that the model declares; each definition is "NAME=VALUE".  A protocol also
 * takes "keep-dead=1": messages that nobody can take any more stay in states. */
PORTOLAN_API enum portolan_status portolan_open_with(const char *path, const char *const *definitions, size_t count,
                                                     struct portolan_system **system, struct portolan_error *error);

/* -------------------------------------------------------------- properties */

enum portolan_kind {
    PORTOLAN_NO_DEADLOCK, /* every reachable state has an enabled action */
    PORTOLAN_INVARIANT,   /* the expression is true in every reachable state */
    PORTOLAN_REACH,       /* the expression is true in some reachable state */
    PORTOLAN_NO_RACE,     /* no two agents can access an object at the same time, one of them writing */
    PORTOLAN_LTL,         /* the formula is true of every run; a deadlocked state is repeated forever */
    PORTOLAN_AUTOMATON,   /* no run is accepted by the automaton in the file (HOA) that text names */
    PORTOLAN_MAXIMUM /* the largest value of a numeric expression in a reachable state; it is asked, not required */
};

struct portolan_property;

/*
 * Compiles a property of a system.  text is NULL for PORTOLAN_NO_DEADLOCK.
 * The language of expressions is in docs/properties.md, that of formulas in docs/ltl.md.
 */
PORTOLAN_API enum portolan_status portolan_property_new(const struct portolan_system *system, enum portolan_kind kind,
                                                        const char *text, struct portolan_property **property,
                                                        struct portolan_error *error);
PORTOLAN_API void portolan_property_free(struct portolan_property *property);
/* "no deadlock", "invariant EXPR", "reach EXPR", "maximum EXPR", "ltl FORMULA", or the name of what the model states;
 * lives as long as the property. */
PORTOLAN_API const char *portolan_property_text(const struct portolan_property *property);

/* ---------------------------------------------------------------- searches */

/* A trace decides a property, or having seen everything does (PORTOLAN_COMPLETE); all else leaves it unknown. */
enum portolan_verdict { PORTOLAN_UNKNOWN, PORTOLAN_HOLDS, PORTOLAN_VIOLATED };

struct portolan_statistics {
    uint64_t states;      /* stored */
    uint64_t visited;     /* expanded or passed through; larger than states with chains */
    uint64_t transitions; /* edges of the explored graph */
    uint64_t expanded_fully;
    uint64_t deadlocks; /* distinct deadlock states met */
    uint64_t vectors;   /* explored by probe sets: start states with a trace; 0 otherwise */
    uint64_t missed;    /* actions found to be missed by probe sets, with their prefix */
    uint64_t depth;     /* longest search stack, or number of breadth-first levels */
    size_t bytes;       /* the engine's own memory at its largest */
    double seconds;
    /* of searches that store no states */
    uint64_t executions; /* complete ones */
    uint64_t blocked;    /* given up because all that could follow was explored elsewhere */
    uint64_t cut;        /* of the complete ones, those in which an agent used up its bound */
    double expected;     /* executions altogether, a guess while the search runs; 0 when there is none */
    uint64_t left_out;   /* ways not taken because of the bound on preemptions */
    /* of random runs: an error of the depth asked for would have been found with at least this probability, if
     * executions have no more agents and (see depth) steps than were seen; 0: nothing can be said */
    double guarantee;
    uint32_t agents; /* that took part */
    /* of LTL: pairs of a state and a state of the automaton, and the steps between them */
    uint64_t product_states, product_transitions;
    uint64_t walks, walk_steps; /* random ones: how many, and the actions fired for them */
    uint64_t natively;          /* of those visited: expanded by compiled code */
    double coverage;            /* of a store that forgets states: about this part of all was seen; else 0 */
    uint64_t checkpoints;       /* that were written */
    uint64_t spilled;           /* bytes that were kept in a file, at most; not counted as memory */
    uint64_t reserved[10];
};

/* A complete execution, in the order that is canonical for all equivalent ones. */
struct portolan_execution {
    const uint32_t *agents;
    size_t length;
    const void *last_state;
    bool deadlock;
    bool cut;
};

/* What the search tells while it runs; any function may be NULL.  Bytes are those of a state of the system that was
 * given to the search. */
/* A vector of a search by probe sets, and what is explored from it.  Actions are the system's. */
struct portolan_vector {
    const uint32_t *count; /* the start state, by entity of the view */
    size_t entities;
    const uint32_t *trace; /* the actions from there */
    size_t length;
    uint32_t keeper; /* UINT32_MAX when every enabled action is explored and forgets all that it depends on */
    const uint32_t *explored;
    size_t explored_count;
    const uint32_t *discharged; /* for each of them: how many actions of the trace it forgets, then which */
};

struct portolan_callbacks {
    void *user;
    /* a state was expanded: its number (0 is the initial state), whether every enabled action is explored */
    void (*expanded)(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully);
    void (*edge)(void *user, uint32_t from, uint32_t action, uint32_t to);
    void (*deadlock)(void *user, uint32_t state, const void *bytes);
    /* a stateless search has completed an execution; called by one thread at a time */
    void (*execution)(void *user, const struct portolan_execution *execution);
    /* one line of the table that explains a search by probe sets; it has a user of its own */
    void (*explain)(void *explain_user, const char *line);
    void *explain_user;
    /* a few times a second */
    void (*progress)(void *user, const struct portolan_statistics *so_far);
    /* a search by probe sets explores a vector */
    void (*vector)(void *user, const struct portolan_vector *vector);
    void (*reserved[7])(void);
};

enum portolan_fairness { /* of LTL: only runs count in which nothing is enabled forever and never taken */
                         PORTOLAN_UNFAIR,
                         PORTOLAN_FAIR_ACTIONS,
                         PORTOLAN_FAIR_AGENTS /* those of the footprint view */
};

struct portolan_options {
    size_t size;           /* PORTOLAN_OPTIONS sets it */
    const char *reduction; /* "auto", "none", "stubborn", "optimal", ..., with options after a colon; NULL is "auto" */
    const char *proviso;   /* "auto", "none", "stack", ..., with "probe" "nodup" or "age"; NULL is "auto" */
    const char *search;    /* "auto", "dfs", "bfs", "stateless"; for LTL "scc", "ndfs"; NULL is "auto" */
    const struct portolan_property *const *properties;
    size_t property_count;
    enum portolan_fairness fairness;
    bool all;                               /* go on after the first violation */
    bool chains;                            /* do not store states whose reduced set is a single action */
    bool certifiable;                       /* scc expands fully where it expands: docs/certificates.md */
    bool check_relations;                   /* test the declared relations on every visited state (slow) */
    double time_limit;                      /* seconds; 0 is none */
    size_t memory_limit;                    /* bytes of the engine's own (statistics.bytes); 0 is none */
    uint64_t state_limit;                   /* states, or executions of a stateless search; 0 is none */
    uint32_t threads;                       /* that explore, and may call the system's functions at once; 0 is one */
    uint32_t bound;                         /* steps of one agent in a stateless search; 0 is none */
    bool bounds_preemptions;                /* of one execution of a stateless search, ... */
    uint32_t preemptions;                   /* ... to this: switches away from an agent that could go on */
    uint64_t random_runs;                   /* instead of a search, so many runs with random priorities; 0 is none */
    uint32_t bug_depth;                     /* of these: constraints of order that an error needs; 0 is 3 */
    uint64_t seed;                          /* of these, and of random walks */
    const volatile sig_atomic_t *interrupt; /* the search ends soon after this becomes nonzero; may be NULL */
    struct portolan_callbacks callbacks;
    /* actions to fire in random walks before a search that stores states begins, which may decide a property of states;
     * or PORTOLAN_WALK_BESIDE; 0 is none */
    uint64_t walk;
    enum portolan_engine engine; /* docs/native-code.md */
    const char *store;           /* "auto", "plain", "tree", "hash", "bitstate": docs/scale.md; NULL is "auto" */
    /* a file that is written now and then, and when a limit ends the search, from which it can go on; NULL: none */
    const char *checkpoint;
    double checkpoint_every;             /* seconds; 0 is ten minutes */
    const char *const *checkpoint_words; /* kept in that file: what was asked, ended by NULL; may be NULL */
    const char *resume;                  /* such a file, from which the search goes on; NULL: it begins */
    const char *spill; /* a directory where states are kept in a file, so that there may be more than memory holds */
    struct shard_order *shard; /* for the command line alone: a part of a stateless search; NULL: all */
};

/* Walks take a part of the effort of the search while it runs: none of a search that is soon over. */
#define PORTOLAN_WALK_BESIDE UINT64_MAX

#define PORTOLAN_NO_CYCLE SIZE_MAX

struct portolan_answer {
    enum portolan_verdict verdict;
    bool has_trace;    /* a counterexample, or the witness of a reach property */
    bool has_no_value; /* the trace leads to a state in which the property has no value; the note says why */
    uint32_t *trace;   /* actions from the initial state */
    size_t trace_length;
    /* Of LTL: from this step on the trace is repeated forever; trace_length when the last state is (it has no enabled
     * action); PORTOLAN_NO_CYCLE when the trace is wrong however it goes on, and for other properties. */
    size_t cycle_start;
    char note[160]; /* what has been left out, or has no value, and why; mostly empty */
    /* Of PORTOLAN_MAXIMUM: the largest value that was seen, which is the answer when the verdict is PORTOLAN_HOLDS. */
    int64_t maximum;
    bool has_maximum; /* some state was seen */
    bool by_walk;     /* a random walk has found the trace */
    bool shortest;    /* no trace that decides the property is shorter, as a search by levels has shown */
    uint64_t reserved[2];
};

struct portolan_result {
    enum portolan_stop stop;
    struct portolan_statistics statistics;
    struct portolan_answer *answers; /* one per property, in the order of the options */
    size_t answer_count;
    char reduction[96]; /* what was used */
    char proviso[32];
    char search[16];
    bool unbounded;    /* a place was seen to grow forever */
    char growing[128]; /* the variable that grew, empty when none stood out */
    /* Per action: was it fired?  NULL when actions are found on the fly, and from searches by probe sets and for LTL.
     */
    bool *fired;
    bool fired_all;  /* every action that can be fired in a reachable state was */
    bool can_resume; /* portolan_options.checkpoint is a file from which the search goes on where it ended, or before */
    char checkpoint_trouble[160]; /* why the last one could not be written, or nothing */
    char store[16];               /* how states were kept; empty when none were */
    uint32_t threads;
};

/* Runs a search.  On PORTOLAN_OK there is a result, to be released by portolan_result_free; otherwise it is NULL. */
PORTOLAN_API enum portolan_status portolan_search(struct portolan_system *system,
                                                  const struct portolan_options *options,
                                                  struct portolan_result **result, struct portolan_error *error);
PORTOLAN_API void portolan_result_free(struct portolan_result *result);

/* Fires the trace from the initial state; PORTOLAN_BAD_INPUT names the first step that is not enabled.
 * When property is not NULL, the last state must also violate it (or witness it, for a reach property). */
PORTOLAN_API enum portolan_status portolan_replay(struct portolan_system *system, const uint32_t *trace, size_t length,
                                                  const struct portolan_property *property,
                                                  struct portolan_error *error);
/* The same for a run that goes on forever, given as in struct portolan_answer: the cycle must close, the run be fair,
 * and property, when it is not NULL, must be false of it. */
PORTOLAN_API enum portolan_status portolan_replay_run(struct portolan_system *system, const uint32_t *trace,
                                                      size_t length, size_t cycle_start,
                                                      enum portolan_fairness fairness,
                                                      const struct portolan_property *property,
                                                      struct portolan_error *error);

/* -------------------------------------------- a reduction without a search */

struct portolan_stubborn;

/*
 * Prepares stubborn sets for a system with the relations view.  options is what stands
 * after the colon of "stubborn:...", or NULL.  The system must outlive the result.
 */
PORTOLAN_API enum portolan_status portolan_stubborn_new(const struct portolan_system *system, const char *options,
                                                        struct portolan_stubborn **stubborn,
                                                        struct portolan_error *error);
/* Writes the actions to explore in state, returns how many: none exactly when none is enabled. */
PORTOLAN_API uint32_t portolan_stubborn_set(struct portolan_stubborn *stubborn, const void *state, uint32_t *out);
PORTOLAN_API void portolan_stubborn_free(struct portolan_stubborn *stubborn);

#ifdef __cplusplus
}
#endif

#endif
