/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads write to one database of SQLite, through one connection; its own mutexes are the only ones. */
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>

static sqlite3 *database;

static void *insert(void *argument)
{
    assert(sqlite3_exec(database, "INSERT INTO numbers VALUES (1)", NULL, NULL, NULL) == SQLITE_OK);
    return argument;
}

static int note(void *count, int columns, char **values, char **names)
{
    (void)columns, (void)names;
    *(int *)count = atoi(values[0]);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    int count = 0, flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | MUTEXES;
    assert(sqlite3_open_v2(":memory:", &database, flags, NULL) == SQLITE_OK);
    assert(sqlite3_exec(database, "CREATE TABLE numbers (value)", NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, insert, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sqlite3_exec(database, "SELECT COUNT(*) FROM numbers", note, &count, NULL) == SQLITE_OK);
    assert(count == 2);
    sqlite3_close(database);
    return 0;
}
