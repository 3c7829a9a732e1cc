/* Preloaded into a process: each sync of a file waits for as many milliseconds as the file named by SLOW_SYNC_FILE says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(void)
{
    const char *name = getenv("SLOW_SYNC_FILE");
    int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    char text[16] = {0};
    if (file < 0)
        return;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    long ms = length > 0 ? atol(text) : 0;
    struct timespec rest = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    /* A signal does not make a disk faster. */
    while (nanosleep(&rest, &rest) != 0)
        ;
}

int fsync(int file)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_disk();
    return next(file);
}

int fdatasync(int file)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_disk();
    return next(file);
}
