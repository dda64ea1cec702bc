/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime that is linked into a program built by `portolan cc`.
 *
 * The program is its own checker.  Its threads are user-level contexts on one kernel thread; each stops before a
 * visible operation, so that what it is about to do is known to the search (machine.c).  An execution starts from
 * a copy of the program's variables; to go back the program is run again from the start.
 *
 * Everything that must survive a reset hangs on `runtime`: variables of this directory are reset like the program's.
 * Code that runs in a context of the program may not allocate; what needs memory is done by the scheduler.
 */
#ifndef NATIVE_RUNTIME_H
#define NATIVE_RUNTIME_H

#include "base/vector.h"
#include "native/supervision.h"
#include "report/json.h"
#include "stateless/machine.h"

#include <pthread.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))
#define CALLER ((uintptr_t)__builtin_return_address(0))

enum {
    MOST_DISTURBED = 4,
    MOST_THREADS = 64,
    MOST_KEYS = 64,
    MOST_IN_LOOP = 12,
    MOST_ACCESSES = 2 + MOST_IN_LOOP,
    DEEPEST_STACK = 40,
    MOST_FILES = 256,
    MOST_AT_EXIT = 64
};

enum operation {
    OP_LOAD,
    OP_STORE,
    OP_EXCHANGE,
    OP_ADD,
    OP_SUB,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_NAND,
    OP_COMPARE_EXCHANGE,
    OP_PLAIN_READ, /* only when races are explored as if they were atomic */
    OP_PLAIN_WRITE,
    OP_LOCK,
    OP_TRY_LOCK,
    OP_UNLOCK,
    OP_WAIT,       /* gives the mutex back and joins those who wait */
    OP_WAKE,       /* goes on when it was signalled */
    OP_TIMED_WAKE, /* the same, or the time is over */
    OP_SIGNAL,
    OP_BROADCAST,
    OP_CREATE, /* this and the next two are no steps of the search: births.c */
    OP_EXIT,
    OP_JOIN,
    OP_ONCE,
    OP_ONCE_DONE,
    OP_READ_LOCK,
    OP_WRITE_LOCK,
    OP_TRY_READ_LOCK,
    OP_TRY_WRITE_LOCK,
    OP_READ_WRITE_UNLOCK,
    OP_SEMAPHORE_WAIT,
    OP_SEMAPHORE_TRY_WAIT,
    OP_SEMAPHORE_POST,
    OP_SEMAPHORE_VALUE,
    OP_ARRIVE, /* at a barrier */
    OP_LEAVE,
    OP_STALL,   /* not taken: goes round for ever in a loop that does nothing */
    OP_DISTURB, /* wakes a thread up that waits at a condition variable, for no reason */
    OP_RESET,   /* not visible: the object begins anew, with a count, ... */
    OP_DESTROY  /* ... or ends */
};

/* What threads synchronise by, apart from atomics. */
enum thing {
    NO_THING,
    A_MUTEX,
    A_CONDITION,
    A_READ_WRITE_LOCK,
    A_SPINLOCK,
    A_BARRIER,
    A_SEMAPHORE,
    A_C11_MUTEX,
    A_C11_CONDITION
};

/* What a thread is about to do. */
struct pending {
    enum operation kind;
    uint8_t size;    /* of an atomic, in bytes */
    uint8_t thing;   /* what kind of object it is about */
    int order;       /* of an atomic, as the compiler numbers memory orders */
    int error;       /* what a try gives when it fails; the memory order of a failed exchange */
    bool fenced;     /* the thread has a release fence behind it */
    bool spins;      /* in a loop that only waits: nothing happens before the value is another than spin_value */
    uint32_t cycle;  /* + 1: what it waits for when it spins over several objects */
    uint32_t object; /* and the mutex that OP_WAIT gives back */
    uint32_t mutex;
    uintptr_t address;
    unsigned __int128 operand, expected;
    uint64_t spin_value;
    uintptr_t caller;
};

/* What a loop over several objects found: it waits until one of them is different. */
struct cycle {
    uint32_t count;
    struct cycle_read {
        uintptr_t address;
        uint64_t value;
        uint32_t object, size;
    } reads[MOST_IN_LOOP];
};

enum failure_kind {
    NO_FAILURE,
    FAILED_ASSERTION,
    FAILED_ABORT,
    FAILED_DEADLOCK,
    FAILED_RACE,
    FAILED_FAULT, /* a segmentation fault and its like */
    FAILED_MEMORY,
    FAILED_LEAK,
    FAILED_MISUSE,
    FAILED_STATUS,   /* the program ends with an exit status that is not allowed */
    FAILED_TOO_LONG, /* no error: it was given up */
    FAILED_REFUSED,  /* the program asks for what is not modelled */
    FAILED_DIVERGED, /* the program did not do the same again */
    FAILED_INTERNAL,
    SEARCH_AGAIN /* something was learned that changes what objects or agents are */
};

struct failure {
    enum failure_kind kind;
    uint32_t agent;
    uint32_t other; /* of a race */
    uintptr_t caller, other_caller;
    uint32_t other_clock; /* when the other access of a race was */
    uintptr_t address;    /* 0: none */
    char text[400];
};

struct thread {
    /* what the journal keeps, up to saved_at */
    bool exists, ended, detached, joined;
    bool exits; /* it has ended the process: nobody joins it */
    bool follows_others;
    bool wrote;       /* something outside its stack, since its last visible operation */
    int error_number; /* its errno */
    void *stack_pointer;
    struct pending pending;
    unsigned __int128 result;
    void *(*function)(void *);
    void *argument, *value; /* what it returns */
    uint32_t children;
    uint32_t joiner;     /* who waits for its end: agent + 1 */
    uint32_t last_event; /* + 1; 0 for none */
    size_t heap_used;
    uint32_t allocations; /* points at which its clock was another one */
    uint64_t ticks, random;
    uint64_t plain_accesses; /* since the last visible operation, */
    struct round {           /* and what was known at one of them */
        uintptr_t caller, address;
        uint64_t state;
        bool wrote;        /* something outside its stack, since then */
        bool is_reference; /* this one is it */
    } round;
    struct { /* of spin loops */
        bool known, repeated;
        uintptr_t address, caller;
        uint64_t value; /* that it found */
        uint64_t state; /* of the thread, when it came by again */
    } last_read;
    uint32_t recent_count, history_count; /* of loops over several objects */
    uint64_t state_now;                   /* in which it is about to read */
    uint64_t saved_at;                    /* the step in which it was written down last */
    /* the rest */
    unsigned char *stack;
    size_t stack_size, stack_guard; /* of the former; nobody may touch the lowest part */
    unsigned char *lowest;          /* where it has ever stopped */
    uintptr_t base;                 /* its thread pointer: locals.c */
    unsigned char *local;           /* its thread-local variables */
    uint64_t float_mode;            /* when it last created a thread, or began: the new one begins with it */
    unsigned char *heap;            /* of its own, so that addresses depend on its own past only */
    uint32_t *clock;                /* what happened before, by synchronisation alone; the next two are behind it */
    uint32_t *released;             /* the clock at its last release fence */
    uint32_t *to_be_acquired;       /* what an acquire fence would add */
    uint32_t follow[MOST_THREADS];  /* per agent an event + 1 that its next step comes after, when it follows others */
    void *keys[MOST_KEYS];
    void *cleanup;                       /* the handler that pthread_exit has to run first */
    uintptr_t disturbed[MOST_DISTURBED]; /* condition variables at which it wakes up for no reason */
    uintptr_t recent[MOST_IN_LOOP];      /* where it has read since it last changed something */
    struct loop_read {
        uintptr_t caller, address;
        uint64_t value, state;
        uint32_t object, size;
    } history[MOST_IN_LOOP]; /* what it found in known loops */
    bool stack_is_shared;    /* somebody else was seen to touch it, in whatever run */
};

/* What was released at an object, or at a byte of one that is accessed in parts: clocks.c. */
struct cell {
    uint32_t run;    /* that it belongs to; else it is as at the beginning */
    uint64_t heads;  /* agents that head release sequences */
    uint32_t *clock; /* all that is released, a number per agent; behind it what each has if runtime->knows_heads */
};

/* A thing that threads synchronise with: an address in the program, or a thread. */
struct object {
    uintptr_t address;
    uint32_t size;
    bool is_mixed; /* some operations touch a part of it only */
    bool is_split; /* atomics touch different parts of it: it has a cell for each byte */
    uint8_t touched_offset, touched_size;
    struct cell *cells;
    uint8_t thing;                    /* that it was last; it belongs to the run, too */
    uint32_t run;                     /* what follows belongs to this run; else it is as at the beginning */
    uint32_t owner;                   /* agent + 1 */
    uint32_t count;                   /* recursion, readers, a semaphore, those at a barrier, the state of a once */
    uint32_t generation;              /* of a barrier */
    uint64_t waiting, released;       /* agents: at a condition variable, and those of them that broadcasts let go */
    uint32_t permits;                 /* signals not yet used */
    uint64_t permitted[MOST_THREADS]; /* who may use each: those who waited then */
};

/* An event of the present execution, as far as going back needs it. */
struct step_record {
    uint32_t agent;
    struct pending operation;
    uint64_t before[2]; /* what its objects were like */
    uint64_t word;      /* of an access to memory: all of the aligned word */
    uint64_t after;
    uint64_t result;
};

/* Return addresses in code of the program, the innermost first. */
struct stack {
    uint32_t agent, count;
    uintptr_t callers[DEEPEST_STACK];
};

/* What a thread did that is no step, for the report. */
struct silent {
    uint32_t agent;
    struct pending operation;
};

/* A function of atexit, or of on_exit. */
struct at_exit {
    void (*plain)(void);
    void (*told)(int status, void *argument);
    void *argument;
};

struct word;
struct allocation_point;
struct shadow;
struct journal;
struct team;

struct runtime {
    struct machine machine;
    /* settings */
    bool exploring;  /* else the program just runs */
    bool interleave; /* plain accesses are visible, races are no errors */
    bool leaks;      /* are errors */
    bool spurious;   /* condition variables wake up for no reason */
    bool debugging;  /* a debugger follows a schedule, ... */
    bool announces;  /* ... and a thread is resumed only to be seen by it */
    bool announced;  /* it has seen the failure */
    char announcement[400];
    int argument_count;
    char **arguments;
    /* the present run */
    uint32_t run;
    uint32_t current; /* whose context is active; NO_AGENT: the scheduler's */
    void *scheduler;  /* its stack pointer */
    size_t top;
    VECTOR(struct step_record) steps;
    struct failure failure;
    bool process_exits;
    int exit_status;
    uint32_t key_count;
    void (*key_destructors[MOST_KEYS])(void *);
    struct thread threads[MOST_THREADS];
    uint32_t ready[MOST_THREADS], ready_count; /* threads that go on at once */
    uint64_t float_mode;                       /* with which main begins */
    bool beginning;                            /* no step was taken yet */
    uint32_t exit_count;
    struct at_exit at_exit[MOST_AT_EXIT];
    size_t destroyed_count; /* destructors that have run */
    bool showing;           /* what happens at once is kept here */
    VECTOR(struct silent) silent;
    /* kept over all runs */
    uint32_t agent_limit, agent_count; /* agents have numbers below the limit */
    struct {
        uint32_t parent, index;
    } births[MOST_THREADS];
    uint32_t most_keys; /* that any run has made */
    VECTOR(struct object *) objects;
    bool knows_heads;              /* of release sequences what each has released: clocks.c */
    bool threads_add_at_exit;      /* functions of atexit, while there are others */
    bool has_loops;                /* that read the same thing again and again */
    VECTOR(uintptr_t) loop_reads;  /* places of reads in loops over several objects */
    VECTOR(struct cycle *) cycles; /* of such loops */
    struct word *words;            /* hashed addresses to objects */
    size_t word_capacity, word_count;
    struct {
        unsigned char *start, *copy;
        size_t size;
    } variables;
    struct {
        unsigned char *start; /* the thread-local variables of main */
        size_t size;
        const unsigned char *image; /* what they begin with; the rest is zero */
        size_t image_size;
        uintptr_t base;       /* the thread pointer of this process's one thread */
        unsigned char *block; /* a copy of all that it points to, from so far below */
        size_t below, above;
        ptrdiff_t error_number; /* where errno is from there */
    } locals;
    struct { /* to the program: arguments and environment */
        unsigned char *place;
        void *copy; /* as they are at first */
        size_t size, room, used, capacity;
        int argument_count;
        char **arguments, **environment;
        char **by_user; /* the environment of the process */
    } given;
    struct { /* by the program, in whatever run */
        bool locale, thread_locale;
        int directory; /* the first one; 0: it was not changed */
        uint32_t mask; /* the first one + 1 */
    } changed;
    struct shadow *shadow;
    struct allocation_point *allocation_points; /* of each thread: allocations.c */
    struct {
        uintptr_t start;
        size_t size;
    } reserved[16];
    uint32_t reserved_count;
    struct supervision *supervision; /* NULL: the program just runs */
    struct live *live;               /* the part of it that is this process's */
    struct team *team;               /* that this process leads; NULL: there is none */
    struct journal *journal;
    bool journaling;
    bool journal_is_trusted;                      /* it is never checked */
    bool journal_is_suspect;                      /* it is always checked, and a difference is an error */
    unsigned char *region;                        /* stacks, thread-local variables and heaps, a slot for each thread */
    uint32_t slot_shift;                          /* of 1 << slot_shift bytes */
    size_t heap_offset;                           /* where the heap begins in a slot */
    size_t stack_room;                            /* of each slot, at its beginning */
    size_t given_offset;                          /* and, before it, what main is given: arguments and environment */
    unsigned char *heap_state;                    /* per 8 bytes of the region */
    unsigned char *chunk_state, *chunk_is_shared; /* per chunk of it */
    uint64_t runs, taken;                         /* so far; steps */
    uint64_t undone;                              /* how often it was gone back by the journal */
    uintptr_t accessing;   /* the program's last access of memory, by itself or by a function that it called */
    struct {               /* of the timer */
        uint64_t progress; /* seen by it */
        uint32_t idle;     /* how often it came by since there was any */
        uint64_t states[8];
        uint32_t state_count;
    } timer;
    struct failure interruption; /* what a signal found, for the context that it interrupted */
    bool signals_are_blocked;    /* by a handler that was left */
    bool opens_files;            /* the run has opened some, ... */
    FILE *files[MOST_FILES];     /* ... these */
    bool file_numbers[MOST_FILES];
    VECTOR(uint32_t) order; /* of the failing execution: agents */
    struct stack *stack;    /* that is being found */
    bool watches;           /* for the earlier access of a race: the run ends there */
    struct failure watched;
};

#define NO_AGENT UINT32_MAX
extern struct runtime *runtime;

/* Does a context of the program run, under our control? */
static inline bool in_program(void)
{
    return runtime && runtime->current != NO_AGENT;
}

static inline struct thread *current_thread(void)
{
    return &runtime->threads[runtime->current];
}

/* --- context.c */

/* Stops the present thread before an operation; returns its result when the search has taken it. */
unsigned __int128 visible(struct pending *operation);
/* Back to the scheduler; returns when the thread is let go on. */
void stop(void);
/* Lets a thread run to its next visible operation, its end or a failure. */
void resume(uint32_t agent);
void contexts_make(void);
/* Rounding and the like, as the present thread has set it. */
uint64_t float_mode(void);
/* Makes the context of a thread; it starts when first resumed. */
void context_make(uint32_t agent, void (*entry)(void));
/* When the thread, which stopped, is resumed next it calls a function as if from where it stopped; false when it has
 * not begun. */
bool context_divert(uint32_t agent, void (*function)(void));
/* Ends the run: from a context of the program it does not return. */
void fail_run(enum failure_kind kind, uintptr_t caller, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Back to the scheduler for ever. */
void leave_context(void) __attribute__((noreturn));

/* --- memory.c: the program's memory, and malloc */

bool memory_make(void);
/* Everything as it was when main began. */
void memory_reset(void);
/* Forgets what a thread allocated beyond what it has now: it had `used` bytes. */
void heap_shrink(const struct thread *thread, size_t used);
/* Of all the program's memory but the stacks. */
uint64_t memory_hash(void);
/* The stack and the heap of a thread, when it is created; false when there is no memory. */
bool thread_memory(uint32_t agent);
/* Makes the stack of a thread that has not begun at least this large; false: there are none so large. */
bool stack_hold(uint32_t agent, size_t size);
/* Where the race detector keeps what it knows of a word: a number below shadow_words(), or SIZE_MAX. */
size_t shadow_word(uintptr_t address);
size_t shadow_words(void);
bool is_on_stack(const struct thread *thread, uintptr_t address);
/* Whose stack or thread-local variables the address is in, or NO_AGENT. */
uint32_t stack_owner(uintptr_t address);
bool is_on_heap(uintptr_t address);
/* Large blocks are watched only once another thread than their owner has touched them: the first address from this one
 * on that is.  The search begins again when there is news. */
uintptr_t skip_unshared(uint32_t agent, uintptr_t address);
/* Memory for the runtime itself, zero, never given back; NULL when there is none. */
void *reserve(size_t size);
bool is_reserved(uintptr_t address);
/* malloc for code of the program. */
void *program_malloc(size_t size, uintptr_t caller);
/* Fails when the bytes are no part of a live block though they are in the heap. */
void check_heap(uintptr_t address, size_t size, bool writes, uintptr_t caller);
/* Describes an address in the heap: the block it belongs to. */
bool describe_block(uintptr_t address, char *text, size_t size);

/* Is this code of the program? */
bool is_program_text(uintptr_t caller);

/* --- locals.c: thread-local variables */

bool locals_make(void);
/* How much room those of a thread take in its slot. */
size_t locals_bytes(void);
/* As they are when a thread begins, at this place, which is aligned to pages; false when there is no memory. */
bool locals_begin(uint32_t agent, unsigned char *room);
/* Are these those of the thread? */
static inline bool is_own_local(const struct thread *thread, uintptr_t address)
{
    return address - (uintptr_t)thread->local < runtime->locals.size;
}

/* --- frames.c */

/* Fails when the address is in the stack of a thread, or among its thread-local variables, and no longer there.  The
 * running thread has nothing below `frame`, another one nothing below where it stopped. */
void check_frames(uint32_t agent, uintptr_t address, uintptr_t frame, bool writes, uintptr_t caller);
/* Has the thread ended by ending the program? */
bool ends_process(const struct thread *thread);

/* --- environment.c */

/* How much room the arguments and the environment take. */
size_t environment_bytes(void);
/* They will be at this place; false when there is no memory. */
bool environment_make(unsigned char *place);
void environment_reset(void);
/* What it prints, with the user's environment; NULL when it cannot be run. */
FILE *run_command(const char *command);

/* --- process.c: locale, directory and the like */

void process_reset(void);
void begin_thread_locale(void);

/* --- constructors.c */

void run_constructors(void);
/* Those, and the functions of atexit. */
void run_destructors(int status, uintptr_t caller);

/* --- objects.c */

/* The object of an address accessed with a size; UINT32_MAX when memory is short. */
uint32_t object_at(uintptr_t address, size_t size);
/* Its state in this run. */
struct object *object_state(uint32_t object);
/* Makes room for all agents in the clocks of all objects; false when memory is short. */
bool objects_prepare(void);

/* --- effects.c: what an operation does to its object, for the search and for happens-before alike */

enum taking {
    TAKES_NOTHING,
    TAKES_AT_FENCE, /* when an acquire fence comes */
    TAKES_AT_ONCE
};
enum gift { NO_GIFT, UP_TO_FENCE, ALL_SO_FAR };

struct effect {
    bool writes;  /* to memory, perhaps what was there before */
    bool changes; /* the value, as far as we know: what others find is different */
    enum taking takes;
    enum gift gives; /* to whoever takes it after */
    bool replaces;   /* what others gave; else it adds to that */
};

struct effect effect_of(const struct pending *operation, uint32_t agent, unsigned __int128 value);
bool changes_value(const struct pending *operation, uint32_t agent, uint64_t value);
/* Does it matter to another operation on the object which of them comes first, even if that has no effect? */
bool has_effect(const struct pending *operation, uint32_t agent, uint64_t value);
/* Does that depend on the value it finds? */
bool may_vary(const struct pending *operation);
bool order_acquires(int order);
bool order_releases(int order);
/* What an atomic leaves behind when it finds a value. */
unsigned __int128 value_after(const struct pending *operation, unsigned __int128 old);
bool exchange_fails(const struct pending *operation, unsigned __int128 old);

/* --- clocks.c: happens-before */

bool clocks_make(struct object *object);
void clocks_free(struct object *object);
/* Of an object that is no memory, and of memory. */
void exchange_clocks(uint32_t agent, uint32_t object, const struct effect *effect);
void exchange_clocks_of_memory(uint32_t agent, const struct pending *operation, const struct effect *effect);
void fence(int order);

/* --- journal.c: what a step changes is written down before, so that it can be undone */

bool journal_make(bool used);
void journal_begin(void);  /* at depth 0 */
void journal_step(void);   /* a step begins */
void journal_forget(void); /* what it holds */
void journal_stop(void);   /* for good */
/* These bytes will change. */
static inline void journal_save(const void *address, size_t size);
void journal_save_memory(uintptr_t address, size_t size); /* the same for the program's own, which may come often */
void journal_save_thread(uint32_t agent);                 /* it goes on */
void journal_save_newborn(uint32_t agent);                /* it will be made */
void journal_save_object(uint32_t object, bool permits);
void journal_save_clock(const uint32_t *clock);
bool journal_can_undo(size_t depth);
void journal_undo(size_t depth);
size_t journal_bytes(void);

void journal_write(const void *address, size_t size);
static inline void journal_save(const void *address, size_t size)
{
    if (runtime->journaling)
        journal_write(address, size);
}

/* The runtime writes to the program's memory. */
static inline void will_write(const void *address, size_t size)
{
    if (in_program())
        journal_save_memory((uintptr_t)address, size);
}

/* --- harmless.c */

/* Is all that the program takes from libraries known not to write to its memory behind our back? */
bool imports_are_harmless(void);
/* Has it called something that is not?  It does so now. */
bool has_called_unseen(void);
void calls_unseen(void);

/* --- births.c */

/* Makes a thread, which starts with `entry`; false after a failure. */
bool thread_begin(uint32_t agent, void (*entry)(void));
/* Does what the thread is about to do if that is no step of the search; true when the thread can go on. */
bool happens_at_once(uint32_t agent);

/* How many bytes it has. */
/* 0 when it is not always touched as a whole. */
uint32_t object_size(uint32_t object);
/* It is touched at this address, with this size. */
void object_touched(uint32_t object, uintptr_t address, uint32_t size);

/* --- spinning.c */

/* Finds out whether the thread is about to go round in a loop that only waits. */
void look_for_spinning(struct thread *thread);
/* An operation is taken; what it found, and whether it changes anything. */
void remember_read(struct thread *thread, const struct pending *operation, uint64_t value, bool effect);

/* --- rounds.c: loops without a visible operation */

enum { PATIENT_ROUNDS = 1 << 14 };

/* One of many accesses since the last visible operation: when the thread was here before, it is left here. */
void look_for_round(uintptr_t address, bool writes, uintptr_t caller);
/* The thread does something that others cannot see. */
static inline void come_by(uintptr_t address, bool writes, uintptr_t caller)
{
    if (++current_thread()->plain_accesses >= PATIENT_ROUNDS)
        look_for_round(address, writes, caller);
}
/* The same for a call that does nothing but pass time. */
void pass_time(uintptr_t caller);
/* The running thread changes what is not memory of the program: it does not go round in vain, in whatever loop. */
void goes_on(uintptr_t caller);
/* The thread goes round for ever; it reads this address (0: none that is known). */
void stall(uintptr_t address, uintptr_t caller) __attribute__((noreturn));
/* What decides what the running thread does next, registers aside. */
uint64_t running_state(const struct thread *thread, const unsigned char *stack_pointer);

/* --- operations.c */

/* What an operation's object is like, as far as anybody's next step can depend on it. */
uint64_t object_value(const struct pending *operation, uint32_t which);
bool is_enabled(const struct pending *operation, uint32_t agent, uint64_t value);
bool may_wait(const struct pending *operation);
/* Does it, as far as others can see. */
void perform(uint32_t agent, const struct pending *operation);
/* --- threads.c */

/* The entries of contexts. */
void main_entry(void);
void thread_entry(void);
/* Is it a thread of ours that wakes another one up for no reason? */
bool is_disturber(uint32_t agent);
/* exit, and the same without what is to run then: the others are followed as if it came later. */
void exit_program(int status, uintptr_t caller) __attribute__((noreturn));
void end_process(int status, uintptr_t caller) __attribute__((noreturn));

/* --- ends.c */

/* Fails when the program ends with a status that is not allowed. */
void check_exit_status(int status, uintptr_t caller);
/* Prepares for libraries that end the process. */
bool ends_make(void);

/* --- files.c */

/* Closes what the run before has left open. */
void files_reset(void);

/* --- races.c */

bool races_make(void);
void races_reset(void);
void note_access(uintptr_t address, size_t size, bool writes, uintptr_t caller);
void note_atomic(uint32_t agent, const struct pending *operation, bool writes);
/* The thread ends, and with it its stack: who has used that without order may come too late. */
void note_end(uint32_t agent);
/* A mutex or its like in the heap must be there: it races with who frees it. */
void note_object(uint32_t agent, const struct pending *operation);

/* --- allocations.c */

bool allocations_make(void);
/* The present thread gets a block. */
void note_allocation(uintptr_t start, size_t size, uintptr_t caller);
/* Is there a block of another thread whose allocation does not come before what the agent does now?  Says which. */
bool find_unordered_allocation(uint32_t agent, uintptr_t address, struct failure *failure);

/* --- signals.c */

/* Signals that a handler has left blocked are let through again. */
void signals_release(void);
/* Reads a byte: a bad address fails here, for this caller. */
void touch(const volatile void *address, uintptr_t caller);

/* --- machine.c */

/* Prepares for a search with room for so many agents; false when memory is short. */
bool machine_prepare(uint32_t agents);
/* Resets everything and runs main to its first visible operation. */
void begin_run(void);
/* Can the agent take its next step?  False also when it has none. */
bool can_step(uint32_t agent);
/* Takes it. */
bool take_step(uint32_t agent);

/* --- readers.c */

struct lock_state {
    bool written;
    uint32_t readers;
};

/* What a read-write lock is like at a depth of the present execution, and after another step. */
struct lock_state lock_at(uint32_t object, size_t depth);
void lock_take(struct lock_state *state, uint32_t object, const struct step_record *step);
/* --- team.c: the search, by one process or several */

enum portolan_status explore_together(const struct portolan_options *options, struct portolan_result *result,
                                      struct portolan_error *error);
/* --- symbols.c: names for people; they allocate, so not from contexts of the program */

void agent_name(uint32_t agent, char *text, size_t size);
void describe_address(uintptr_t address, char *text, size_t size);
/* A value that is the address of something in the program; false when it is none. */
bool describe_pointer(uintptr_t address, char *text, size_t size);
void describe_place(uintptr_t caller, char *text, size_t size);
/* Function, file and line of each, with those that the compiler put into another one if `inlined`; index counts the
 * callers. */
typedef void take_frame(void *user, size_t index, const char *function, const char *place);
void find_frames(const uintptr_t *callers, size_t count, bool inlined, take_frame *take, void *user);

/* --- debug.c */

/* Runs runtime->order until there is nothing left to learn from it; false when memory is short.  In report.c. */
bool learn_from_schedule(void);
/* Runs runtime->order for a debugger; returns the exit status. */
int debug_schedule(void);
/* Calls the function at which the debugger stops, in the context of the present thread. */
void announce(void);

/* --- report.c */

const char *failure_word(enum failure_kind kind);
const char *operation_word(enum operation kind);
/* Does the run end in a deadlock? */
bool is_stuck(void);
/* Runs the failing schedule again, shows it, and says what was found; returns the exit status.  No result: a schedule
 * is replayed. */
int report(const struct portolan_result *result, const struct portolan_options *options, FILE *errors);

/* --- schedule_file.c */

void write_schedule(FILE *file);
/* Reads the schedule of a file into runtime->order; false after saying what is wrong. */
bool read_schedule(const char *path, FILE *errors);

/* --- supervision.c */

/* Maps the memory shared with the supervisor, if there is one; false when that fails. */
bool supervision_join(void);
/* This process is the one with this number. */
void live_is(uint32_t number);
/* A search begins; there is one more thread. */
void live_begin(void);
void live_birth(uint32_t agent);
/* For callbacks.progress. */
void live_progress(void *unused, const struct portolan_statistics *so_far);
/* A step is taken from a depth. */
static inline void live_step(uint32_t agent, size_t depth)
{
    struct live *live = runtime->live;
    if (!live)
        return;
    if (depth < LONGEST_SCHEDULE)
        live->order[depth] = (uint8_t)agent;
    atomic_store_explicit(&live->depth, (uint32_t)depth + 1, memory_order_release);
    atomic_store_explicit(&live->steps, runtime->taken, memory_order_relaxed);
}
/* Why the supervisor has asked to stop. */
enum portolan_stop reason_to_stop(void);
/* A part of the report: closing it makes it known. */
FILE *part_open(enum part part);
void part_close(FILE *file, enum part part);
/* The report is complete. */
void supervision_done(int exit_status);

#endif
