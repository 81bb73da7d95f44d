/*
 * A disk that fails on demand, preloaded into a program (LD_PRELOAD): calls on files below FARWATCH_DISK_FOLDER meet the
 * fault that the first line of the file FARWATCH_DISK_FAULTS names now, "<fault> <number> <calls>":
 *
 *   none, or no such file   all is well
 *   ENOSPC | EROFS | EIO    the calls fail with this error
 *   slow <ms>               each call takes so much longer
 *   short                   writes take half of what they are given, at least a byte
 *   room <bytes>            so much may still be written; then as ENOSPC
 *   kill <n>                the process is killed at the n-th such call: before it is done, a write when half is done
 *
 * <calls> is "*", which means those that such a disk refuses, or out of write,sync,open,rename,unlink,truncate,link,
 * mkdir,read, joined by commas. The line is read anew at every call. What `room` and `kill` count, they count in this
 * process since their line was first seen.
 *
 * libuv calls open64, write, writev, pwrite64, pwritev64, read, pread64, preadv64, fsync, fdatasync, ftruncate64,
 * rename, unlink, link and mkdir; the other forms are for other programs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum call { WRITE = 1, SYNC = 2, OPEN = 4, RENAME = 8, UNLINK = 16, TRUNCATE = 32, LINK = 64, MKDIR = 128, READ = 256 };
#define CHANGES (WRITE | SYNC | OPEN | RENAME | UNLINK | TRUNCATE | LINK | MKDIR)
#define GROWS (WRITE | OPEN | LINK | MKDIR)
#define ALL (CHANGES | READ)

static const struct { const char *name; int calls; } CALL_NAMES[] = {
    {"write", WRITE}, {"sync", SYNC}, {"open", OPEN}, {"rename", RENAME}, {"unlink", UNLINK},
    {"truncate", TRUNCATE}, {"link", LINK}, {"mkdir", MKDIR}, {"read", READ},
};

static const struct { const char *name; int error; int calls; } FAULTS[] = {
    {"ENOSPC", ENOSPC, GROWS}, {"EROFS", EROFS, CHANGES}, {"EIO", EIO, ALL}, {"slow", 0, ALL},
    {"short", 0, WRITE}, {"room", ENOSPC, GROWS}, {"kill", 0, CHANGES},
};
enum fault { NONE = -1, FULL, READ_ONLY, BROKEN, SLOW, SHORT, ROOM, KILL };

struct state { int fault; long number; int calls; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last_line[256];
static long used;

static int named_calls(char *list) {
    int calls = 0;
    for (char *rest, *name = strtok_r(list, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest))
        for (size_t i = 0; i < sizeof CALL_NAMES / sizeof *CALL_NAMES; i++)
            if (strcmp(name, CALL_NAMES[i].name) == 0) calls |= CALL_NAMES[i].calls;
    return calls;
}

/* What the control file says now. Called with the lock held; past our own functions, by system calls. */
static struct state read_state(void) {
    struct state state = {NONE, 0, 0};
    const char *path = getenv("FARWATCH_DISK_FAULTS");
    char line[sizeof last_line] = "", fault[16] = "", calls[128] = "*";
    long fd = path == NULL ? -1 : syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0) {
        long length = syscall(SYS_read, fd, line, sizeof line - 1);
        line[length > 0 ? length : 0] = 0;
        syscall(SYS_close, fd);
    }
    if (strcmp(line, last_line) != 0) {
        strcpy(last_line, line);
        used = 0;
    }
    sscanf(line, "%15s %ld %127s", fault, &state.number, calls);
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        if (strcmp(fault, FAULTS[i].name) != 0) continue;
        state.fault = (int)i;
        state.calls = strcmp(calls, "*") == 0 ? FAULTS[i].calls : named_calls(calls);
    }
    return state;
}

/* Whether a path lies below the folder, as far as its text says; `folder` is a real path. */
static int is_below(const char *path) {
    const char *folder = getenv("FARWATCH_DISK_FOLDER");
    char whole[2 * PATH_MAX];
    if (folder == NULL || path == NULL) return 0;
    if (path[0] != '/') {
        if (getcwd(whole, PATH_MAX) == NULL) return 0;
        strcat(whole, "/");
        strncat(whole, path, PATH_MAX - 1);
        path = whole;
    }
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Descriptors that were opened below the folder. Closing is not seen: a mark is checked when it is used. */
#define MAX_FD 65536
static volatile unsigned char marked[MAX_FD];

static int is_file_below(int fd) {
    char link[64], path[PATH_MAX];
    if (fd < 0 || fd >= MAX_FD || !marked[fd]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    if (!is_below(path)) marked[fd] = 0;
    return marked[fd];
}

static void end_here(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

enum verdict { GO = 0, FAIL = -1, HALF = 1, HALF_THEN_DIE = 2 };

/*
 * What a call meets. For a write `*length` is how much it is to write, and becomes how much it may. FAIL: errno is set.
 * A disk that is full lets a file be opened that is there.
 */
static enum verdict judge(enum call call, size_t *length, int is_new_file) {
    pthread_mutex_lock(&lock);
    struct state state = read_state();
    enum verdict verdict = GO;
    long slow_ms = 0;
    if (state.fault != NONE && (state.calls & call) != 0) {
        int is_growing = call != OPEN || is_new_file;
        switch (state.fault) {
        case FULL: verdict = is_growing ? FAIL : GO; break;
        case READ_ONLY: case BROKEN: verdict = FAIL; break;
        case SLOW: slow_ms = state.number; break;
        case SHORT: verdict = HALF; if (length != NULL && *length > 1) *length /= 2; break;
        case ROOM:
            if (used >= state.number) verdict = is_growing ? FAIL : GO;
            else if (call == WRITE) {
                if ((long)*length > state.number - used) *length = (size_t)(state.number - used);
                used += (long)*length;
                verdict = HALF;
            }
            break;
        case KILL:
            if (++used < state.number) break;
            if (call != WRITE || *length < 2) end_here();
            *length /= 2;
            verdict = HALF_THEN_DIE;
        }
        if (verdict == FAIL) errno = FAULTS[state.fault].error;
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    if (slow_ms > 0) nanosleep(&(struct timespec){slow_ms / 1000, slow_ms % 1000 * 1000000}, NULL);
    errno = error;
    return verdict;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* write and pwrite; `CALL(n)` is the real one with that length. */
#define WRITING(fd, length, CALL) \
    if (!is_file_below(fd)) return CALL(length); \
    size_t allowed = length; \
    enum verdict verdict = judge(WRITE, &allowed, 0); \
    if (verdict == FAIL) return -1; \
    ssize_t result = CALL(allowed); \
    if (verdict == HALF_THEN_DIE) end_here(); \
    return result

ssize_t write(int fd, const void *data, size_t length) {
    REAL(write);
#define CALL(n) real(fd, data, n)
    WRITING(fd, length, CALL);
#undef CALL
}

#define PWRITE(name, offset_type) \
    ssize_t name(int fd, const void *data, size_t length, offset_type at) { \
        REAL(name); \
        WRITING(fd, length, CALL); \
    }
#define CALL(n) real(fd, data, n, at)
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)
#undef CALL

static size_t total(const struct iovec *parts, int count) {
    size_t length = 0;
    for (int i = 0; i < count; i++) length += parts[i].iov_len;
    return length;
}

/* The first `allowed` bytes of several parts; returns how many parts that are. */
static int cut(struct iovec *into, const struct iovec *parts, int count, size_t allowed) {
    int kept = 0;
    for (; kept < count && allowed > 0; kept++) {
        into[kept] = parts[kept];
        if (into[kept].iov_len > allowed) into[kept].iov_len = allowed;
        allowed -= into[kept].iov_len;
    }
    return kept;
}

/* writev and pwritev; `CALL(p, n)` is the real one with these parts. */
#define WRITING_PARTS(fd, parts, count, CALL) \
    if (!is_file_below(fd) || count < 1 || count > IOV_MAX) return CALL(parts, count); \
    size_t allowed = total(parts, count); \
    enum verdict verdict = judge(WRITE, &allowed, 0); \
    if (verdict == FAIL) return -1; \
    struct iovec kept[count]; \
    int n = cut(kept, parts, count, allowed); \
    ssize_t result = CALL(kept, n); \
    if (verdict == HALF_THEN_DIE) end_here(); \
    return result

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev);
#define CALL(p, n) real(fd, p, n)
    WRITING_PARTS(fd, parts, count, CALL);
#undef CALL
}

#define PWRITEV(name, offset_type) \
    ssize_t name(int fd, const struct iovec *parts, int count, offset_type at) { \
        REAL(name); \
        WRITING_PARTS(fd, parts, count, CALL); \
    }
#define CALL(p, n) real(fd, p, n, at)
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)
#undef CALL

/* Everything else is done whole or not at all. */
#define ON_FILE(type, name, kind, parameters, arguments) \
    type name parameters { \
        REAL(name); \
        if (is_file_below(fd) && judge(kind, NULL, 0) == FAIL) return -1; \
        return real arguments; \
    }
#define ON_PATH(name, kind, parameters, arguments) \
    int name parameters { \
        REAL(name); \
        if (is_below(path) && !is_refused_anyway(kind, path) && judge(kind, NULL, 1) == FAIL) return -1; \
        return real arguments; \
    }

/* What is there already cannot be made: no disk is asked. */
static int is_refused_anyway(enum call call, const char *path) {
    return (call == MKDIR || call == LINK) && access(path, F_OK) == 0;
}

ON_FILE(ssize_t, read, READ, (int fd, void *data, size_t length), (fd, data, length))
ON_FILE(ssize_t, pread, READ, (int fd, void *data, size_t length, off_t at), (fd, data, length, at))
ON_FILE(ssize_t, pread64, READ, (int fd, void *data, size_t length, off64_t at), (fd, data, length, at))
ON_FILE(ssize_t, readv, READ, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_FILE(ssize_t, preadv, READ, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
ON_FILE(ssize_t, preadv64, READ, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
ON_FILE(int, fsync, SYNC, (int fd), (fd))
ON_FILE(int, fdatasync, SYNC, (int fd), (fd))
ON_FILE(int, ftruncate, TRUNCATE, (int fd, off_t length), (fd, length))
ON_FILE(int, ftruncate64, TRUNCATE, (int fd, off64_t length), (fd, length))
ON_PATH(truncate, TRUNCATE, (const char *path, off_t length), (path, length))
ON_PATH(truncate64, TRUNCATE, (const char *path, off64_t length), (path, length))
ON_PATH(rename, RENAME, (const char *from, const char *path), (from, path))
ON_PATH(unlink, UNLINK, (const char *path), (path))
ON_PATH(link, LINK, (const char *from, const char *path), (from, path))
ON_PATH(mkdir, MKDIR, (const char *path, mode_t mode), (path, mode))

/* A file that is opened to be read fails only where reading does. */
static enum verdict judge_open(const char *path, int flags) {
    if (!is_below(path)) return GO;
    int is_change = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
    int is_new = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
    return judge(is_change ? OPEN : READ, NULL, is_new);
}

static int mark(int fd, const char *path) {
    if (fd >= 0 && fd < MAX_FD) marked[fd] = (unsigned char)is_below(path);
    return fd;
}

#define OPENING(name, parameters, arguments) \
    int name parameters { \
        REAL(name); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        if (judge_open(path, flags) == FAIL) return -1; \
        return mark(real arguments, path); \
    }

OPENING(open, (const char *path, int flags, ...), (path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode))
