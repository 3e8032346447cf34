"""Writes the files of this folder with pyarrow 26.0.1: `python make.py`, in this folder. Every type, with nulls, in record batches of two rows."""
import base64, pyarrow.parquet.encryption as pe
import pyarrow as pa, datetime as d, decimal as D
import pyarrow.ipc as ipc, pyarrow.feather as f, pyarrow.parquet as pq
t = pa.table({
 'i8': pa.array([1,None,-3],pa.int8()), 'u64': pa.array([2**64-1,0,None],pa.uint64()), 'i64': pa.array([2**53+1,-5,None],pa.int64()),
 'f16': pa.array([1.5,None,-0.25],pa.float16()), 'f32': pa.array([0.1,None,float('inf')],pa.float32()), 'f64': pa.array([0.1,float('nan'),None]),
 'dec': pa.array([D.Decimal('1.10'),None,D.Decimal('-123456789012345678901234.5')],pa.decimal128(38,2)),
 'dec256': pa.array([D.Decimal('1.10'),None,D.Decimal('-0.05')],pa.decimal256(50,2)),
 'b': pa.array([True,None,False]), 's': pa.array(['a','',None]), 'ls': pa.array(['é','',None],pa.large_string()), 'sv': pa.array(['short','a string that is longer than twelve',None],pa.string_view()),
 'bin': pa.array([b'\x00\x01',b'',None]), 'fsb': pa.array([b'ab',b'cd',None],pa.binary(2)), 'dict': pa.array(['x','y',None]).dictionary_encode(),
 'd32': pa.array([d.date(2024,2,29),None,d.date(1,1,1)]), 'd64': pa.array([d.date(2024,2,29),None,d.date(1960,1,1)],pa.date64()),
 't32': pa.array([d.time(1,2,3),None,d.time(23,59,59)],pa.time32('s')), 't64': pa.array([d.time(1,2,3,4),None,d.time(23,59,59)],pa.time64('us')),
 'ts': pa.array([d.datetime(2024,2,29,1,2,3),None,d.datetime(1969,12,31,23,59,59,999999)],pa.timestamp('us')), 'tsz': pa.array([d.datetime(2024,2,29,1,2,3),None,d.datetime(1969,12,31,23,59,59,999999)],pa.timestamp('ns','Europe/Berlin')),
 'null': pa.nulls(3), 'list': pa.array([[1,None],[],None]), 'struct': pa.array([{'a':1,'b':'x"y'},{'a':None,'b':None},None]), 'map': pa.array([[('k',1)],[],None],pa.map_(pa.string(),pa.int64())),
 'lst': pa.array([[d.datetime(2024,1,1)],[None],None]), 'fsl': pa.array([[1,2],[3,4],None],pa.list_(pa.int8(),2)), 'dur': pa.array([d.timedelta(seconds=1),None,None],pa.duration('ms')),
 'lv': pa.array([[1],[2,3],None],pa.list_view(pa.int32())), 'ree': pa.RunEndEncodedArray.from_arrays([2,3],['p','q']),
})
def w(name, t, **o):
    with ipc.new_stream(name, t.schema, options=ipc.IpcWriteOptions(**o)) as s: s.write_table(t, max_chunksize=2)
w('all.arrows', t); w('lz4.arrows', t, compression='lz4'); w('zstd.arrows', t, compression='zstd')
f.write_feather(t.drop(['ree','lv','sv']), 'all.feather')
pq.write_table(t.drop(['ree','lv','sv','f16','dur','lst']), 'all.parquet')

# 12,345 rows in row groups, record batches and pages whose ends differ, for the command line.
n = 12345
g = pa.table({'id': pa.array(range(n), pa.int32()), 'price': pa.array([i * 7 % 1000 / 10 if i % 11 else None for i in range(n)]),
 'status': pa.array([('new', 'paid', 'sent')[i % 3] for i in range(n)]).dictionary_encode(), 'tags': pa.array([[i % 3] * (i % 4) if i % 7 else None for i in range(n)]),
 'at': pa.array([d.datetime(2026, 1, 1) + d.timedelta(days=i % 40) for i in range(n)]), 'ok': pa.array([i % 5 > 0 for i in range(n)])})
pq.write_table(g, 'groups.parquet', row_group_size=5000, data_page_size=2000, compression='zstd', column_encoding={'id': 'DELTA_BINARY_PACKED'}, use_dictionary=['status', 'price', 'at'])
f.write_feather(g, 'groups.feather', compression='zstd', chunksize=4567)

# Small files of much: more bytes of pages, and more values, than a body may have.
pq.write_table(pa.table({'a': pa.array(['x' * 500] * 10000)}), 'bytes.parquet', compression='zstd', use_dictionary=False)
pq.write_table(pa.table({'a': pa.array([[True] * 100000] * 81)}), 'values.parquet', compression='zstd')

# Times of 96 bits that 64 bits of nanoseconds cannot hold; pages with checksums; names with dots that are paths of others.
far = [d.datetime(9999, 12, 31, 23, 59, 59, 999999), d.datetime(1, 1, 1), d.datetime(2026, 11, 27, 1, 2, 3, 4), None]
pq.write_table(pa.table({'at': pa.array(far, pa.timestamp('us'))}), 'int96.parquet', use_deprecated_int96_timestamps=True, store_schema=False)
pq.write_table(pa.table({'a': pa.array([1, 2, 3]), 'b': pa.array(['x', 'y', None])}), 'checksums.parquet', write_page_checksum=True, compression='none')
pq.write_table(pa.table({'a.b': pa.array([1, 2]), 'a': pa.array([{'b': 'x'}, {'b': 'y'}])}), 'dots.parquet')

# Encrypted, with its directory and without it.
class Keys(pe.KmsClient):
 def wrap_key(self, key, _): return base64.b64encode(key)
for name, plain in ('encrypted', False), ('encrypted-column', True):
 factory = pe.CryptoFactory(lambda _: Keys())
 how = pe.EncryptionConfiguration(footer_key='f', column_keys={'c': ['b']}, plaintext_footer=plain)
 with pq.ParquetWriter(f'{name}.parquet', schema := pa.schema({'a': pa.int64(), 'b': pa.string()}), encryption_properties=factory.file_encryption_properties(pe.KmsConnectionConfig(), how)) as writer:
  writer.write_table(pa.table({'a': [1, 2, 3], 'b': ['x', 'y', 'z']}, schema=schema))
