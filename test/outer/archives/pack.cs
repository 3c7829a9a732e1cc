using System;
using System.IO;
using System.IO.Compression;
using System.Linq;

/// <summary>Makes an archive of a folder with .NET: whole, or by the calls of PowerShell's Compress-Archive.</summary>
static class Pack
{
    static void Main(string[] arguments)
    {
        if (arguments[0] == "CreateFromDirectory") ZipFile.CreateFromDirectory(arguments[1], arguments[2]);
        else CompressArchive(Path.GetFullPath(arguments[1]), arguments[2]);
    }

    /// <summary>Folders first; a folder is an entry where it has no files. The script of Compress-Archive does the same.</summary>
    static void CompressArchive(string root, string archive)
    {
        using (var stream = new FileStream(archive, FileMode.Create))
        using (var zip = new ZipArchive(stream, ZipArchiveMode.Update, false))
        {
            foreach (var folder in Directory.GetDirectories(root))
            foreach (var each in Directory.GetFileSystemEntries(folder, "*", SearchOption.AllDirectories))
            {
                if (!Directory.Exists(each)) Add(zip, root, each);
                else if (!Directory.GetFiles(each).Any()) zip.CreateEntry(NameOf(root, each) + "/", CompressionLevel.Optimal);
            }
            foreach (var file in Directory.GetFiles(root)) Add(zip, root, file);
        }
    }

    static void Add(ZipArchive zip, string root, string file)
    {
        var entry = zip.CreateEntry(NameOf(root, file), CompressionLevel.Optimal);
        entry.LastWriteTime = File.GetLastWriteTime(file);
        using (var content = File.OpenRead(file))
        using (var target = entry.Open()) content.CopyTo(target);
    }

    static string NameOf(string root, string path)
    {
        return Path.GetRelativePath(root, path).Replace('\\', '/');
    }
}
